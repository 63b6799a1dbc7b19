// What the server knows of HTTP: requests, answers, and where an answer goes. http_server.cc is the only file
// that knows the library for it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace locus::serve {

struct HttpRequest {
  std::string method;                                       // "POST"
  std::string path;                                         // "/v1/embeddings", without the query
  std::string query;                                        // after the ?, or empty
  std::map<std::string, std::string, std::less<>> headers;  // names in lower case
  std::string body;
  std::string id;  // from x-request-id, or made by the server; it is in the log and in the answer
};

using Headers = std::vector<std::pair<std::string, std::string>>;  // of an answer, names in lower case

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  Headers headers = {};
  std::string log = {};  // the client never sees it; it is in the log of the request
};

// Where the answer to one request goes. Every thread may call it. Calls after the end of the answer, or after
// the client has left, do nothing.
class Reply {
 public:
  virtual ~Reply() = default;
  virtual void send(HttpAnswer answer) = 0;  // a whole answer
  // An answer in pieces: its head and first piece, more pieces, and the end.
  virtual void begin(HttpAnswer head) = 0;
  virtual void write(std::string piece) = 0;
  virtual void end() = 0;
  virtual bool gone() const = 0;  // the client has left: nobody reads the answer
};

// Called on the thread of the server for each request. It must return at once: long work belongs elsewhere.
using HttpHandler = std::function<void(HttpRequest request, std::shared_ptr<Reply> reply)>;

}  // namespace locus::serve
