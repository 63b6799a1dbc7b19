#include "locus/serve/request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <string>

#include "locus/base/quote.h"

namespace locus::serve {
namespace {

namespace http = boost::beast::http;
using State = RequestReader::State;

constexpr std::string_view kEnd = "\r\n\r\n";

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// Several fields with one of these names contradict each other.
bool is_single(std::string_view name) {
  constexpr std::array<std::string_view, 9> kSingle = {
      "authorization", "content-encoding", "content-length",    "content-type", "expect",
      "host",          "origin",           "transfer-encoding", "x-api-key"};
  return std::ranges::count(kSingle, name) > 0;
}

Refusal refusal_of(boost::beast::error_code error, const RequestLimits& limits) {
  if (error == http::error::body_limit || error == http::error::buffer_overflow) {
    return {.status = 413,
            .message =
                fmt::format("the body of the request is too large: expected at most {} bytes", limits.body),
            .code = "request_too_large"};
  }
  if (error == http::error::header_limit) {
    return {.status = 431,
            .message = fmt::format("the headers of the request are too large: expected at most {} bytes",
                                   limits.head),
            .code = "headers_too_large"};
  }
  if (error == http::error::bad_version) {
    return {.status = 505,
            .message = "unsupported version of HTTP: expected HTTP/1.1 or HTTP/1.0",
            .code = "unsupported_http_version"};
  }
  return {.message = fmt::format("malformed HTTP request: {}", error.message()), .code = "malformed_request"};
}

Refusal malformed(std::string text) {
  return {.message = fmt::format("malformed HTTP request: {}", text), .code = "malformed_request"};
}

}  // namespace

struct RequestReader::Parser : http::basic_parser<true> {
  explicit Parser(const RequestLimits& limits_) : limits(limits_) {
    // The head is limited before Beast sees it. Its own limit then applies to chunk headers and trailers.
    header_limit(
        static_cast<std::uint32_t>(std::min<size_t>(limits.head, std::numeric_limits<std::uint32_t>::max())));
    body_limit(limits.body);
    eager(false);
  }

  void refuse(Refusal why) {
    refusal = std::move(why);
    state = State::refused;
  }

  size_t take_head(std::string_view bytes);
  size_t take_body(std::string_view bytes);
  bool check_bytes(size_t from);
  void parse_head();
  void read_target();
  void check_head();

  RequestLimits limits;
  State state = State::empty;
  Refusal refusal;
  HttpRequest request;
  std::string head;  // bytes of the head; then bytes of the body that Beast could not use yet
  std::string target;
  size_t fields = 0;
  bool http11 = true, is_head = false, expects_continue = false, in_trailer = false;

 private:
  using ErrorCode = boost::beast::error_code;
  using View = boost::beast::string_view;

  static std::string_view view(View text) { return {text.data(), text.size()}; }

  void on_request_impl(http::verb, View method, View given, int version, ErrorCode& error) override {
    error = {};
    request.method = view(method);
    target = view(given);
    http11 = version == 11;
  }
  void on_response_impl(int, View, int, ErrorCode&) override {}
  void on_field_impl(http::field, View name, View value, ErrorCode& error) override {
    error = {};
    if (in_trailer) return;  // checked, and not used: it could replace a header that was already checked
    if (++fields > limits.headers) {
      error = make_error_code(http::error::header_limit);
      return;
    }
    const std::string key = lower(view(name));
    const auto [found, is_new] = request.headers.try_emplace(key, view(value));
    if (is_new) return;
    if (is_single(key)) {
      refuse(malformed(fmt::format("the header {} is repeated", quote(key))));
      error = make_error_code(http::error::bad_field);
      return;
    }
    found->second.append(", ").append(view(value));
  }
  void on_header_impl(ErrorCode& error) override { error = {}; }
  void on_body_init_impl(boost::optional<std::uint64_t> const&, ErrorCode& error) override { error = {}; }
  size_t on_body_impl(View bytes, ErrorCode& error) override {
    error = {};
    request.body.append(view(bytes));
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, View, ErrorCode& error) override { error = {}; }
  size_t on_chunk_body_impl(std::uint64_t, View bytes, ErrorCode& error) override {
    return on_body_impl(bytes, error);
  }
  void on_finish_impl(ErrorCode& error) override { error = {}; }
};

// Checks the bytes of the head from `from` on. They are refused before the head is complete, because a client
// that ends lines otherwise would wait for its end until the time is up.
bool RequestReader::Parser::check_bytes(size_t from) {
  for (size_t i = from; i < head.size(); ++i) {
    const auto byte = static_cast<unsigned char>(head[i]);
    const char before = i > 0 ? head[i - 1] : '\0';
    if (byte == '\n' && before != '\r') {
      refuse(malformed("a line ends without a carriage return"));
    } else if (byte != '\n' && before == '\r') {
      refuse(malformed("a carriage return is not at the end of a line"));
    } else if ((byte == ' ' || byte == '\t') && before == '\n') {
      refuse(malformed("a header is folded into several lines"));
    } else if ((byte < 0x20 && byte != '\r' && byte != '\n' && byte != '\t') || byte == 0x7f) {
      const char* const tls = i == 0 && byte == 0x16 ? "; this port expects http://, not https://" : "";
      refuse(malformed(fmt::format("byte {} of the headers is {:#04x}{}", i, byte, tls)));
    }
    if (state == State::refused) return false;
  }
  return true;
}

size_t RequestReader::Parser::take_head(std::string_view bytes) {
  size_t used = 0;
  if (state == State::empty) {  // empty lines before a request are ignored, as RFC 9112 recommends
    for (; used < bytes.size() && bytes[used] == (head.empty() ? '\r' : '\n'); ++used) {
      head = head.empty() ? "\r" : "";
    }
    if (used == bytes.size()) return used;
    state = State::head;
  }
  const size_t before = head.size();
  const size_t room = limits.head - std::min(limits.head, before);
  head.append(bytes.substr(used, room));
  const size_t start = before < kEnd.size() ? 0 : before - (kEnd.size() - 1);
  const size_t end = head.find(kEnd, start);
  if (end != std::string::npos) head.resize(end + kEnd.size());
  used += head.size() - before;
  if (!check_bytes(before)) return used;
  if (end != std::string::npos) {
    parse_head();
  } else if (head.size() >= limits.head) {
    refuse(refusal_of(make_error_code(http::error::header_limit), limits));
  }
  return used;
}

void RequestReader::Parser::parse_head() {
  size_t used = 0;
  while (state == State::head && !is_header_done()) {
    boost::beast::error_code error;
    used += basic_parser::put(boost::asio::buffer(head.data() + used, head.size() - used), error);
    if (!error || state == State::refused) continue;
    if (!target.empty()) read_target();  // the answer has the shape of the route's API
    if (state != State::refused) refuse(refusal_of(error, limits));
  }
  if (state == State::refused) return;
  head.clear();
  read_target();
  if (state != State::refused) check_head();
  if (state == State::refused) return;
  is_head = request.method == "HEAD";
  if (is_head) request.method = "GET";
  in_trailer = true;
  state = is_done() ? State::done : State::body;
  eager(true);
}

// The target is /path?query. A proxy sends http://host/path?query, and OPTIONS can ask for "*".
void RequestReader::Parser::read_target() {
  std::string_view rest = target;
  const auto plain = [](char c) { return '!' <= c && c <= '~' && c != '#'; };
  if (!std::ranges::all_of(rest, plain))
    return refuse(malformed("the target has a character that is not allowed"));
  const size_t scheme = rest.find("://");
  if (!rest.starts_with('/') && scheme != std::string_view::npos) {
    const std::string name = lower(rest.substr(0, scheme));
    if (name != "http" && name != "https") return refuse(malformed("the target has an unknown scheme"));
    rest.remove_prefix(scheme + 3);
    const size_t path = std::min(rest.find_first_of("/?"), rest.size());
    request.headers["host"] = rest.substr(0, path);
    rest.remove_prefix(path);
  } else if (!rest.starts_with('/') && !(rest == "*" && request.method == "OPTIONS")) {
    return refuse(
        malformed(fmt::format("got the target {}, expected a path that starts with /", quote(rest))));
  }
  const size_t query = std::min(rest.find('?'), rest.size());
  request.path = query == 0 ? "/" : rest.substr(0, query);
  if (query < rest.size()) request.query = rest.substr(query + 1);
}

void RequestReader::Parser::check_head() {
  const auto& headers = request.headers;
  if (http11 && !headers.contains("host")) return refuse(malformed("the header \"host\" is missing"));
  if (const auto length = headers.find("content-length"); length != headers.end()) {
    const auto digit = [](char c) { return '0' <= c && c <= '9'; };
    if (!std::ranges::all_of(length->second, digit)) {
      return refuse(malformed("the header \"content-length\" is not one whole number"));
    }
  }
  if (const auto encoding = headers.find("transfer-encoding"); encoding != headers.end()) {
    if (!http11) return refuse(malformed("HTTP/1.0 has no transfer encodings"));
    if (lower(encoding->second) != "chunked") {
      return refuse({.status = 501,
                     .message = fmt::format("unsupported transfer encoding: got {}, expected chunked",
                                            quote(encoding->second)),
                     .code = "unsupported_transfer_encoding"});
    }
  }
  if (const auto encoding = headers.find("content-encoding");
      encoding != headers.end() && lower(encoding->second) != "identity") {
    return refuse({.status = 415,
                   .message = fmt::format("unsupported encoding of the body: got {}, expected none",
                                          quote(encoding->second)),
                   .code = "unsupported_content_encoding"});
  }
  if (const auto expect = headers.find("expect"); expect != headers.end()) {
    if (lower(expect->second) != "100-continue") {
      return refuse({.status = 417,
                     .message = fmt::format("unsupported expectation: got {}, expected 100-continue",
                                            quote(expect->second)),
                     .code = "unsupported_expectation"});
    }
    expects_continue = http11;
  }
}

// Beast needs a chunk header, and all trailers, in one piece, and asserts that the last one has five bytes.
// What it does not use is kept.
size_t RequestReader::Parser::take_body(std::string_view bytes) {
  constexpr size_t kLastChunk = 5;  // "0\r\n\r\n": at least as many bytes follow in a body of chunks
  const size_t kept = head.size();
  std::string joined;
  std::string_view rest = bytes;
  if (kept > 0) rest = joined = std::move(head).append(bytes);
  const size_t all = rest.size();
  while (state == State::body && rest.size() >= (chunked() ? kLastChunk : 1)) {
    boost::beast::error_code error;
    rest.remove_prefix(basic_parser::put(boost::asio::buffer(rest.data(), rest.size()), error));
    if (error == http::error::need_more) break;
    if (error) refuse(refusal_of(error, limits));
    if (is_done() && state != State::refused) state = State::done;
  }
  head.clear();
  if (state == State::body) {
    if (rest.size() >= limits.head) refuse(refusal_of(make_error_code(http::error::header_limit), limits));
    head = rest;
    return bytes.size();
  }
  const size_t used = all - rest.size();
  return used > kept ? used - kept : 0;
}

RequestReader::RequestReader(const RequestLimits& limits) : parser_(std::make_unique<Parser>(limits)) {}
RequestReader::~RequestReader() = default;

size_t RequestReader::take(std::string_view bytes) {
  switch (state()) {
    case State::empty:
    case State::head:
      return parser_->take_head(bytes);
    case State::body:
      return parser_->take_body(bytes);
    default:
      return 0;
  }
}

State RequestReader::state() const { return parser_->state; }
HttpRequest& RequestReader::request() { return parser_->request; }
size_t RequestReader::body_size() const { return parser_->request.body.size(); }
bool RequestReader::is_head() const { return parser_->is_head; }
bool RequestReader::keeps_alive() const { return parser_->keep_alive(); }
bool RequestReader::is_http11() const { return parser_->http11; }
bool RequestReader::expects_continue() const { return parser_->expects_continue; }
const Refusal& RequestReader::refusal() const { return parser_->refusal; }

}  // namespace locus::serve
