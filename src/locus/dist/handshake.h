// Before ranks work together: texts that all of them need, and what they must have in common.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "locus/dist/transport.h"
#include "locus/tensor/device.h"

namespace locus::dist {

// Sends bytes of rank 0 to all other ranks, which have as many.
void broadcast(Transport& transport, Bytes bytes);
// The same for a text of any length.
std::string broadcast_text(Transport& transport, std::string text);

// A text of each rank, on all ranks.
std::vector<std::string> gather_texts(Transport& transport, const std::string& mine);

using Facts = std::vector<std::pair<std::string, std::string>>;  // names and values

// What the ranks of every job have in common, because results depend on it: the version, the device, and the
// processor that computes on it (kernel/processor.h).
Facts machine_facts(Device device, const std::string& processor);

// Fails with Fault::peer on every rank if a rank has other facts than rank 0. The error names the first such
// rank, the fact and both values.
void require_same(Transport& transport, const Facts& facts);

}  // namespace locus::dist
