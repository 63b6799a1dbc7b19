// Reads one HTTP/1.0 or HTTP/1.1 request from bytes, in any pieces. It does no input or output. Beast parses
// messages; RequestReader adds the rules that keep a server and a proxy in front of it from reading the same
// bytes differently: no folded headers, no bare line feeds, no repeated length, nothing but "chunked" as
// transfer encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "locus/serve/error_answer.h"
#include "locus/serve/http.h"

namespace locus::serve {

struct RequestLimits {
  size_t head = size_t{16} << 10;  // bytes of request line and headers
  size_t headers = 100;
  size_t body = size_t{16} << 20;  // bytes, after chunks are decoded
};

class RequestReader {
 public:
  enum class State { empty, head, body, done, refused };

  explicit RequestReader(const RequestLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Takes bytes of the request and returns how many. It stops after the head, so that the caller can look at
  // it, and after the body: further bytes are those of the next request.
  size_t take(std::string_view bytes);

  State state() const;
  bool head_done() const { return state() == State::body || state() == State::done; }

  // Complete from State::body on, except for the body, which is complete in State::done. A HEAD request has
  // the method GET: only its answer differs. A refused request has what was read of its method and path.
  HttpRequest& request();
  size_t body_size() const;  // bytes of the body so far

  // From State::body on.
  bool is_head() const;
  bool keeps_alive() const;       // the client may send another request after this one
  bool is_http11() const;         // it understands chunks
  bool expects_continue() const;  // it waits for "100 Continue" before it sends the body

  const Refusal& refusal() const;  // in State::refused; the rest of the connection has no meaning

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace locus::serve
