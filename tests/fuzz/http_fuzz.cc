// Any bytes as the requests of one connection: each is refused, or goes through the checks of access to a
// handler. The reader must take the same requests from pieces of any size. The first byte chooses the size.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "locus/serve/access.h"
#include "locus/serve/answer_text.h"
#include "locus/serve/request_id.h"
#include "locus/serve/request_reader.h"

namespace {

using locus::serve::HttpAnswer;
using locus::serve::HttpRequest;
using locus::serve::RequestReader;
using State = locus::serve::RequestReader::State;

// The head is longer than any input: a chunk header beyond it is only refused if it comes in pieces.
constexpr locus::serve::RequestLimits kLimits{.head = 1 << 20, .headers = 16, .body = 1024};

void expect(bool right) {
  if (!right) std::abort();
}

void expect_plain(std::string_view text) {
  expect(std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; }));
}

// The head of an answer has as many lines as headers.
void expect_sound(const HttpAnswer& answer, const locus::serve::Headers& more) {
  const std::string head = head_text(answer, more, locus::serve::Framing::length, true);
  const auto lines = static_cast<size_t>(std::ranges::count(head, '\n'));
  const size_t own = answer.status == 204 ? 3 : 5;  // status, type, length, connection, and the empty line
  expect(lines == own + answer.headers.size() + more.size());
}

void check(const HttpRequest& request, size_t body) {
  static const locus::serve::Access access(
      {.api_keys = {"key"}, .cors_origin = "https://a.org", .loopback_host = true});
  expect(!request.method.empty() && (request.path.starts_with('/') || request.path == "*"));
  expect_plain(request.method);
  expect_plain(request.path);
  expect_plain(request.query);
  expect(request.headers.size() <= kLimits.headers && body <= kLimits.body);
  for (const auto& [name, value] : request.headers) {
    expect_plain(name);
    expect_plain(value);
  }
  locus::serve::Admission admission = access.admit(request);
  const auto id = request.headers.find("x-request-id");
  const std::string given = id == request.headers.end() ? "" : id->second;
  admission.headers.emplace_back("x-request-id", locus::serve::request_id(given));
  if (admission.answer) return expect_sound(*admission.answer, admission.headers);
  // An echo, whose headers the client chooses.
  HttpAnswer answer{.body = request.body};
  for (const auto& [name, value] : request.headers) answer.headers.emplace_back("x-" + name, value);
  expect_sound(answer, admission.headers);
}

std::string text_of(RequestReader& reader) {
  if (reader.state() == State::refused) {
    expect_sound(error_answer(reader.request().path, reader.refusal()), {});
    // The status can differ: Beast counts a chunk with an open quote in its header again for every piece.
    return "refused\n";
  }
  HttpRequest& request = reader.request();
  check(request, reader.body_size());
  std::string text = request.method + " " + request.path + "?" + request.query;
  for (const auto& [name, value] : request.headers) text += "|" + name + "=" + value;
  text += reader.keeps_alive() ? " keep " : " close ";
  return text + request.body + "\n";
}

// All requests of a connection that delivers pieces of this size, up to the first that is not complete.
std::string requests_in(std::string_view bytes, size_t piece) {
  std::string text, input;
  auto reader = std::make_unique<RequestReader>(kLimits);
  for (size_t at = 0; at < bytes.size(); at += piece) {
    input += bytes.substr(at, piece);
    while (!input.empty()) {
      const size_t used = reader->take(input);
      expect(used <= input.size() && (used > 0 || reader->state() != State::head));
      input.erase(0, used);
      if (reader->state() != State::done && reader->state() != State::refused) continue;
      text += text_of(*reader);
      if (reader->state() == State::refused || !reader->keeps_alive()) return text;
      reader = std::make_unique<RequestReader>(kLimits);
    }
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The end decides about a chunk that was already refused in part, or still waited for more. It is longer
  // than any chunk, and closes a quote even after a backslash.
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  bytes += "\"\"";
  for (size_t i = 0; i <= kLimits.body / 2; ++i) bytes += "\r\n";
  expect(requests_in(bytes, bytes.size()) == requests_in(bytes, data[0] % 8 + 1));
  return 0;
}
