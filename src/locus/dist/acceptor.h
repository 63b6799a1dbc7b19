// Connects ranks to each other: greets them, and refuses strangers.
#pragma once

#include <string>
#include <vector>

#include "locus/dist/greeting.h"
#include "locus/dist/socket.h"

namespace locus::dist {

struct Accepted {
  Greeting greeting;
  Endpoint from;
  Descriptor socket;
};

// Accepts both connections of every rank from `first_rank` on. Other connections are refused or dropped,
// and do not delay the ranks. Fails with Fault::peer and the ranks that are missing when the deadline has
// passed.
std::vector<Accepted> accept_ranks(int listener, const Greeting& mine, int first_rank,
                                   Clock::time_point deadline);

// Connects to rank `to`, which may start later, and exchanges greetings. Fails with Fault::peer at the
// deadline, and at once if the rank refuses or is not a rank of this job.
Descriptor connect_as(const Greeting& mine, int to, const Endpoint& place, Clock::time_point deadline);

}  // namespace locus::dist
