// Before ranks work together: texts that all of them need, and what they must have in common.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "locus/dist/transport.h"

namespace locus::dist {

// Sends bytes of rank 0 to all other ranks, which have as many.
void broadcast(Transport& transport, Bytes bytes);
// The same for a text of any length.
std::string broadcast_text(Transport& transport, std::string text);

// A text of each rank, on all ranks.
std::vector<std::string> gather_texts(Transport& transport, const std::string& mine);

using Facts = std::vector<std::pair<std::string, std::string>>;  // names and values

// Fails with Fault::peer on every rank if a rank has other facts than rank 0. The error names the first such
// rank, the fact and both values.
void require_same(Transport& transport, const Facts& facts);

}  // namespace locus::dist
