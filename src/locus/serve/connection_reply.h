// The Reply to one request of a connection. It carries calls to the thread of the server.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "locus/serve/connection.h"
#include "locus/serve/http.h"

namespace locus::serve {

class ConnectionReply final : public Reply {
 public:
  struct Target {
    std::shared_ptr<boost::asio::io_context> io;
    std::weak_ptr<Connection> connection;
    uint64_t turn = 0;
    std::shared_ptr<std::atomic<bool>> gone;
    std::string path;
  };

  explicit ConnectionReply(Target target) : target_(std::move(target)) {}
  ~ConnectionReply() override;
  ConnectionReply(const ConnectionReply&) = delete;
  ConnectionReply& operator=(const ConnectionReply&) = delete;

  void send(HttpAnswer answer) override;
  void begin(HttpAnswer head) override;
  void write(std::string piece) override;
  void end() override;
  bool gone() const override { return *target_.gone; }

 private:
  template <class F>
  void post(F work);

  const Target target_;
  std::atomic<bool> begun_ = false, answered_ = false;
};

}  // namespace locus::serve
