// Identifies the contents of a data file, to notice that another file is used or that it was modified.
#pragma once

#include <filesystem>
#include <string>

namespace locus {

// The size and a checksum, as one line. For a file of more than 64 MiB the checksum covers 64 pieces of 1 MiB
// spread evenly over it, so that a run on a terabyte of data also starts quickly.
std::string fingerprint(const std::filesystem::path& file);

}  // namespace locus
