#include "locus/cli/input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "locus/base/error.h"
#include "locus/base/file.h"

namespace locus::cli {

std::string read_input(const std::string& file) {
  std::string text;
  if (file != "-") {
    const InputFile input(file);
    text.resize(input.size());
    input.read_at(0, std::as_writable_bytes(std::span(text)));
    return text;
  }
  char block[1 << 16];
  size_t got = 0;
  while ((got = std::fread(block, 1, sizeof(block), stdin)) > 0) text.append(block, got);
  if (std::ferror(stdin)) fail(Fault::io, "cannot read stdin: {}", std::strerror(errno));
  return text;
}

}  // namespace locus::cli
