// Decides from the head of a request whether it is answered: API keys, pages of other origins, and names of
// the server that are not its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "locus/serve/http_server.h"

namespace locus::serve {

struct AccessOptions {
  std::vector<std::string>
      api_keys;             // one of them is required, except for /health, /ping, /metrics and the page
  std::string metrics_key;  // required for /metrics
  // The origin whose pages may read answers, "https://example.org", or "*" for all. Empty: none.
  std::string cors_origin;
  // Whether the header "host" must name a loopback address. Otherwise a web page that resolves its own name
  // to 127.0.0.1 (DNS rebinding) could use a server that listens for this machine only.
  bool loopback_host = false;
};

class Access {
 public:
  explicit Access(AccessOptions options) : options_(std::move(options)) {}

  Admission admit(const HttpRequest& head) const;

 private:
  bool has_key(const HttpRequest& head) const;
  Headers cors_headers(const HttpRequest& head) const;

  AccessOptions options_;
};

// The API keys of a file, one per line. Empty lines and lines that start with # are ignored.
std::vector<std::string> read_api_keys(std::string_view text);

}  // namespace locus::serve
