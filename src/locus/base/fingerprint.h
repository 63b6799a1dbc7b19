// What tells a file of data from another, and from itself before it was changed.
#pragma once

#include <filesystem>
#include <string>

namespace locus {

// Its size and a checksum, as a line. Of a file of more than 64 MiB the checksum is of 64 pieces spread over
// it: a run on a terabyte begins soon, too.
std::string fingerprint(const std::filesystem::path& file);

}  // namespace locus
