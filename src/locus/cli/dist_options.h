// Options of the commands that several processes, the ranks, run together. Only rank 0 prints.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "locus/cli/command.h"
#include "locus/dist/transport.h"

namespace locus::cli {

struct DistOptions {
  std::string engine = {};  // empty: what the launcher suggests
  std::optional<int32_t> rank = {}, ranks = {};
  std::string master = {};  // "host:port" of rank 0
  int64_t peer_timeout = 60;
};

// --dist, --rank, --ranks, --master, --peer-timeout. The options must live as long as the program.
void add_dist_options(Command& command, DistOptions& options);

// Connects the ranks, calls `work`, and disconnects them. An error on one rank ends the others, too: with
// Fault::peer, the rank and its error. So a command that stops because of a signal returns from `work` on all
// ranks, and throws Stopped afterwards. From the call on, ranks other than 0 print errors only.
void with_ranks(const DistOptions& options, const std::function<void(dist::Transport&)>& work);

}  // namespace locus::cli
