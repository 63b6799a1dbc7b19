// What a command works on: words of the command line, files, or stdin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace locus::cli {

// A whole file; "-" is stdin.
std::string read_input(const std::string& file);

// The texts a command works on: words of the command line, or the lines of files, or those of stdin when
// there is neither. `command` begins the error.
std::vector<std::string> read_texts(std::string_view command, const std::vector<std::string>& words,
                                    const std::vector<std::string>& files);

}  // namespace locus::cli
