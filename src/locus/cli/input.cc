#include "locus/cli/input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/text/text_lines.h"

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

std::vector<std::string> read_texts(std::string_view command, const std::vector<std::string>& words,
                                    const std::vector<std::string>& files) {
  if (!words.empty() && !files.empty()) {
    fail(Fault::usage, "{}: texts and --file exclude each other", command);
  }
  if (!words.empty()) return words;
  std::vector<std::string> texts;
  const std::vector<std::string> standard = {"-"};
  for (const std::string& file : files.empty() ? standard : files) {
    const std::string whole = read_input(file);
    TextLines lines(whole);
    std::string_view line;
    while (lines.next(line)) texts.emplace_back(line);
  }
  return texts;
}

}  // namespace locus::cli
