#include "locus/cli/input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/machine.h"

namespace locus::cli {

std::string read_input(const std::string& file) {
  const auto check_room = [free = memory().available](const std::string& name, uint64_t bytes) {
    if (free <= 0 || bytes <= static_cast<uint64_t>(free)) return;  // 0 means unknown
    fail(Fault::resource, "{} is too large: got {} bytes, expected at most the {} bytes of free memory", name,
         bytes, free);
  };
  if (file != "-") {
    const InputFile input(file);
    check_room("'" + file + "'", input.size());
    std::string text(input.size(), '\0');
    input.read_at(0, std::as_writable_bytes(std::span(text)));
    return text;
  }
  std::string text;
  char block[1 << 16];
  size_t got = 0;
  while ((got = std::fread(block, 1, sizeof(block), stdin)) > 0) {
    text.append(block, got);
    check_room("stdin", 2 * text.size());  // a growing string is copied
  }
  if (std::ferror(stdin)) fail(Fault::io, "cannot read stdin: {}", std::strerror(errno));
  return text;
}

}  // namespace locus::cli
