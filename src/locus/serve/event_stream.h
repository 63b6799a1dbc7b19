// An answer as server-sent events. It begins with the first event, so that an error before it is an ordinary
// answer with its own status.
#pragma once

#include <string>

#include "locus/serve/http.h"

namespace locus::serve {

class EventStream {
 public:
  explicit EventStream(Reply& reply) : reply_(reply) {}

  bool started() const { return started_; }
  bool gone() const { return reply_.gone(); }
  void send(const std::string& data) {
    std::string event = "data: " + data + "\n\n";
    if (started_) return reply_.write(std::move(event));
    started_ = true;
    // The second header stops nginx from collecting the events.
    reply_.begin({.type = "text/event-stream",
                  .body = std::move(event),
                  .headers = {{"cache-control", "no-cache"}, {"x-accel-buffering", "no"}}});
  }
  void end() { reply_.end(); }

 private:
  Reply& reply_;
  bool started_ = false;
};

}  // namespace locus::serve
