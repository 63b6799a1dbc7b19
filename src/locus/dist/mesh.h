// Connections between all pairs of ranks. Rank 0 listens on the address that all ranks know. Every other rank
// connects to it and states the port on which it listens itself. When all have done so, rank 0 sends
// everybody the addresses, and each rank connects to those below it.
#pragma once

#include <chrono>
#include <vector>

#include "locus/dist/identity.h"
#include "locus/dist/socket.h"

namespace locus::dist {

// Two connections to every rank: one for messages, one for signs of life. This rank's own have no file.
struct Mesh {
  std::vector<Descriptor> messages, watch;
};

// Fails with Fault::peer if a rank does not connect in time or refuses, with Fault::usage if the identity has
// no address, and with Fault::io if rank 0 cannot listen on it.
Mesh connect_ranks(const Identity& identity, std::chrono::milliseconds timeout);

}  // namespace locus::dist
