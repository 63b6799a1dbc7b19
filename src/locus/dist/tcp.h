// Messages over TCP, without any other software: a connection between every pair of ranks (mesh.h), and a
// thread that watches the others (peer_watch.h).
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "locus/dist/identity.h"
#include "locus/dist/transport.h"

namespace locus::dist {

struct TcpOptions {
  std::chrono::milliseconds start_timeout{300'000};  // until all ranks have connected
  std::chrono::milliseconds peer_timeout{60'000};    // longest silence of a living rank
  // For tests: called before every message, with its number from 1. It may end the process.
  std::function<void(int64_t message)> before_message = {};
};

// Connects to all other ranks. See connect_ranks() for its errors.
std::unique_ptr<Transport> open_tcp(const Identity& identity, const TcpOptions& options = {});

}  // namespace locus::dist
