#include "locus/serve/request_log.h"

#include <fmt/chrono.h>

#include "locus/base/json.h"
#include "locus/base/quote.h"

namespace locus::serve {
namespace {

std::string text_of(LogTime time) {
  const auto since = std::chrono::duration_cast<Milliseconds>(time.time_since_epoch());
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), since.count() % 1000);
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

std::string text_line(const RequestRecord& record, LogTime time) {
  std::string line = fmt::format("{} {} {} {} {} {:.1f} ms id={} request={} answer={}", text_of(time),
                                 record.address, or_dash(record.method), or_dash(record.path), record.status,
                                 record.seconds * 1000, record.id, record.body_bytes, record.answer_bytes);
  if (!record.log.empty()) line += " " + without_controls(record.log);
  return line + "\n";
}

std::string json_line(const RequestRecord& record, LogTime time) {
  json::Members members = {{"time", json::text(text_of(time))},
                           {"id", json::text(record.id)},
                           {"address", json::text(record.address)},
                           {"method", json::text(record.method)},
                           {"path", json::text(record.path)},
                           {"status", json::number(int64_t{record.status})},
                           {"seconds", json::exact(record.seconds)},
                           {"request_bytes", json::number(static_cast<int64_t>(record.body_bytes))},
                           {"answer_bytes", json::number(static_cast<int64_t>(record.answer_bytes))}};
  if (!record.log.empty()) members.emplace_back("message", json::text(record.log));
  return json::object(members) + "\n";
}

}  // namespace locus::serve
