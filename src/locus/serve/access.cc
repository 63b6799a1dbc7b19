#include "locus/serve/access.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"
#include "locus/base/trim.h"
#include "locus/serve/error_answer.h"
#include "locus/text/text_lines.h"

namespace locus::serve {
namespace {

std::string_view header(const HttpRequest& head, std::string_view name) {
  const auto found = head.headers.find(name);
  return found == head.headers.end() ? std::string_view() : found->second;
}

bool equal_without_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// The time depends on the length of `given` only, so that it does not tell how much of a key is right.
bool equal_in_constant_time(std::string_view given, std::string_view key) {
  unsigned different = given.size() == key.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char expected = key.empty() ? '\0' : key[i % key.size()];
    different |= static_cast<unsigned char>(given[i] ^ expected);
  }
  return different == 0;
}

std::string_view key_of(const HttpRequest& head) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view value = header(head, "authorization");
  if (equal_without_case(value.substr(0, kBearer.size()), kBearer)) return trim(value.substr(kBearer.size()));
  return header(head, "x-api-key");
}

// "localhost", 127.x.x.x or [::1], with any port.
bool is_loopback(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    return end != std::string_view::npos && host.substr(0, end + 1) == "[::1]";
  }
  host = host.substr(0, host.find(':'));
  if (equal_without_case(host, "localhost")) return true;
  int parts = 0;
  for (std::string_view rest = host; !rest.empty() || parts == 0;) {
    const size_t dot = std::min(rest.find('.'), rest.size());
    const auto number = parse<uint8_t>(rest.substr(0, dot));
    if (!number || (parts == 0 && *number != 127)) return false;
    ++parts;
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return parts == 4;
}

// The page asks for the key itself.
bool is_public(const HttpRequest& head) {
  const std::string& path = head.path;
  return path == "/health" || path == "/ping" || path == "/metrics" || (path == "/" && head.method == "GET");
}

}  // namespace

bool Access::has_key(const HttpRequest& head) const {
  const std::string_view given = key_of(head);
  if (head.path == "/metrics" && !options_.metrics_key.empty()) {
    return equal_in_constant_time(given, options_.metrics_key);
  }
  if (options_.api_keys.empty() || is_public(head)) return true;
  bool found = false;  // all keys are compared: the time does not tell which one is right
  for (const std::string& key : options_.api_keys) found |= equal_in_constant_time(given, key);
  return found;
}

Headers Access::cors_headers(const HttpRequest& head) const {
  const std::string_view origin = header(head, "origin");
  const bool all = options_.cors_origin == "*";
  if (options_.cors_origin.empty()) return {};
  Headers headers;
  if (!all) headers.emplace_back("vary", "origin");  // caches must keep the answers apart
  if (origin.empty() || !(all || origin == options_.cors_origin)) return headers;
  headers.emplace_back("access-control-allow-origin", options_.cors_origin);
  headers.emplace_back("access-control-expose-headers", "x-request-id, retry-after");
  return headers;
}

Admission Access::admit(const HttpRequest& head) const {
  Admission admission{.headers = cors_headers(head)};
  const std::string_view host = header(head, "host");
  if (options_.loopback_host && !host.empty() && !is_loopback(host)) {
    admission.answer = error_answer(
        head.path, {.status = 403,
                    .message = fmt::format("this server is for this machine only: got the host {}, expected "
                                           "localhost or a loopback address",
                                           quote(host)),
                    .code = "forbidden_host"});
    return admission;
  }
  const bool allowed = admission.headers.size() > 1;  // not only "vary"
  if (allowed && head.method == "OPTIONS" && head.headers.contains("access-control-request-method")) {
    admission.headers.emplace_back("access-control-allow-methods", "GET, POST, OPTIONS");
    admission.headers.emplace_back("access-control-allow-headers",
                                   "authorization, content-type, x-api-key, x-request-id");
    admission.headers.emplace_back("access-control-max-age", "600");
    admission.answer = HttpAnswer{.status = 204};
    return admission;
  }
  if (has_key(head)) return admission;
  admission.headers.emplace_back("www-authenticate", "Bearer");
  admission.answer = error_answer(
      head.path,
      {.status = 401,
       .message = key_of(head).empty() ? "an API key is required, in the header Authorization: Bearer KEY"
                                       : "the API key is not valid",
       .code = "invalid_api_key"});
  return admission;
}

std::vector<std::string> read_api_keys(std::string_view text) {
  std::vector<std::string> keys;
  TextLines lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trim(line);
    if (!line.empty() && !line.starts_with('#')) keys.emplace_back(line);
  }
  return keys;
}

}  // namespace locus::serve
