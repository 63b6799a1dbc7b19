#include "locus/cli/input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/machine.h"

namespace locus::cli {

std::string read_input(const std::string& file) {
  const auto room = static_cast<uint64_t>(memory().available);
  if (file != "-") return read_file(file, room);
  std::string text;
  char block[1 << 16];
  size_t got = 0;
  while ((got = std::fread(block, 1, sizeof(block), stdin)) > 0) {
    text.append(block, got);
    // Half of it: a text that grows is copied.
    require(text.size() <= room / 2,
            "stdin has more than {} bytes, half of the memory that is free; give less", room / 2);
  }
  if (std::ferror(stdin)) fail(Fault::io, "cannot read stdin: {}", std::strerror(errno));
  return text;
}

}  // namespace locus::cli
