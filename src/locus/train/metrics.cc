#include "locus/train/metrics.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "locus/base/error.h"
#include "locus/base/json.h"
#include "locus/base/json_document.h"

namespace locus {
namespace {

// JSON has no NaN: it is written as null.
double number_of(json::Object object, std::string_view key) {
  const auto value = object.find(key);
  return value ? value->number().value_or(std::nan("")) : std::nan("");
}

int64_t whole_of(json::Object object, std::string_view key) {
  const auto value = object.find(key);
  return value ? value->integer().value_or(-1) : -1;
}

StepMetrics step_of(json::Object line) {
  return {.step = whole_of(line, "step"),
          .loss = number_of(line, "loss"),
          .rate = number_of(line, "rate"),
          .norm = number_of(line, "norm"),
          .tokens = whole_of(line, "tokens"),
          .seconds = number_of(line, "seconds")};
}

Validation validation_of(int64_t step, json::Object object) {
  Validation validation{.step = step, .loss = number_of(object, "loss")};
  for (const auto [key, value] : object) {
    if (key != "loss") validation.more.emplace_back(key, value.number().value_or(std::nan("")));
  }
  return validation;
}

}  // namespace

MetricsLog::MetricsLog(const std::filesystem::path& path, int64_t bytes)
    : path_(path),
      // O_NONBLOCK: opening a FIFO would wait for a reader.
      descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666)) {
  struct stat status {};
  const bool other = descriptor_.get() < 0
                         ? errno == ENXIO
                         : ::fstat(descriptor_.get(), &status) == 0 && !S_ISREG(status.st_mode);
  if (other) fail(Fault::io, "cannot write '{}': it is not a regular file", path.string());
  if (descriptor_.get() < 0) fail(Fault::io, "cannot open '{}': {}", path.string(), std::strerror(errno));
  const off_t size = ::lseek(descriptor_.get(), 0, SEEK_END);
  complete_ = size >= bytes;
  bytes_ = complete_ ? bytes : static_cast<int64_t>(size);
  if (size < 0 || ::ftruncate(descriptor_.get(), bytes_) != 0 ||
      ::lseek(descriptor_.get(), bytes_, SEEK_SET) < 0) {
    fail(Fault::io, "cannot truncate '{}' to {} bytes: {}", path.string(), bytes_, std::strerror(errno));
  }
}

void MetricsLog::write(const std::string& line) {
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t put = ::write(descriptor_.get(), left.data(), left.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(Fault::io, "cannot write '{}': {}", path_.string(), std::strerror(errno));
    left.remove_prefix(static_cast<size_t>(put));
  }
  bytes_ += static_cast<int64_t>(line.size());
}

void MetricsLog::add(const StepMetrics& metrics) {
  write(json::object({{"step", json::number(metrics.step)},
                      {"loss", json::number(metrics.loss)},
                      {"rate", json::number(metrics.rate)},
                      {"norm", json::number(metrics.norm)},
                      {"tokens", json::number(metrics.tokens)},
                      {"seconds", json::number(metrics.seconds)}}) +
        '\n');
}

void MetricsLog::add(const Validation& validation) {
  json::Members members = {{"loss", json::number(validation.loss)}};
  for (const auto& [name, value] : validation.more) members.emplace_back(name, json::number(value));
  write(json::object({{"step", json::number(validation.step)}, {"validation", json::object(members)}}) +
        '\n');
}

void MetricsLog::sync() {
  if (::fsync(descriptor_.get()) != 0) {
    fail(Fault::io, "cannot sync '{}': {}", path_.string(), std::strerror(errno));
  }
}

Metrics read_metrics(const std::filesystem::path& path) {
  const std::string all = read_file(path, uint64_t{1} << 32);
  std::string_view text = all;
  Metrics metrics;
  for (int64_t number = 1; text.find('\n') != std::string_view::npos; ++number) {
    const size_t end = text.find('\n');
    const std::string where = fmt::format("{}:{}", path.string(), number);
    const json::Document document(text.substr(0, end), where);
    const json::Object line = document.object();
    const int64_t step = whole_of(line, "step");
    require(step > 0, "bad line at {}, expected a JSON object with a positive 'step'", where);
    const auto validation = line.find("validation");
    const auto results = validation ? validation->object() : std::nullopt;
    if (results) {
      metrics.validations.push_back(validation_of(step, *results));
    } else {
      metrics.steps.push_back(step_of(line));
    }
    text.remove_prefix(end + 1);
  }
  return metrics;
}

}  // namespace locus
