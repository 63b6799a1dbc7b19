#include "locus/serve/answer_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace locus::serve {
namespace {

constexpr std::pair<int, std::string_view> kReasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {204, "No Content"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

void add_header(std::string& text, std::string_view name, std::string_view value) {
  const auto printable = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; };
  std::ranges::copy_if(name, std::back_inserter(text), printable);
  text += ": ";
  std::ranges::copy_if(value, std::back_inserter(text), printable);
  text += "\r\n";
}

}  // namespace

std::string_view reason(int status) {
  const auto* const found = std::ranges::find(kReasons, status, &std::pair<int, std::string_view>::first);
  return found == std::end(kReasons) ? "Unknown" : found->second;
}

std::string head_text(const HttpAnswer& answer, const Headers& more, Framing framing, bool keep_alive) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
  if (answer.status != 204) {
    add_header(text, "content-type", answer.type);
    if (framing == Framing::length) add_header(text, "content-length", fmt::format("{}", answer.body.size()));
    if (framing == Framing::chunks) add_header(text, "transfer-encoding", "chunked");
  }
  for (const auto& [name, value] : answer.headers) add_header(text, name, value);
  for (const auto& [name, value] : more) add_header(text, name, value);
  add_header(text, "connection", keep_alive ? "keep-alive" : "close");
  return text + "\r\n";
}

std::string chunk_text(std::string_view piece) {
  return piece.empty() ? "" : fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
}

}  // namespace locus::serve
