// HTTP answers as bytes.
#pragma once

#include <string>
#include <string_view>

#include "locus/serve/http.h"

namespace locus::serve {

// How the body of an answer ends.
enum class Framing {
  length,  // the head has its length
  chunks,  // it comes in chunks
  close,   // it ends with the connection: pieces for a client that speaks HTTP/1.0
};

std::string_view reason(int status);  // "Not Found"

// The status line, the headers of the answer and `more` headers, and the empty line after them. Header names
// and values lose their control characters, which could otherwise start another header.
std::string head_text(const HttpAnswer& answer, const Headers& more, Framing framing, bool keep_alive);

// A piece of a body in chunks. An empty piece has no bytes: it would end the body.
std::string chunk_text(std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace locus::serve
