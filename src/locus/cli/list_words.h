// CLI11 takes a word like "[a, b]" for a list of words, but a text may look like that: "[MASK] ran [MASK]".
// So words that are no option's value go to it with a mark at their end, which is taken off again.
#pragma once

#include <string>
#include <vector>

#include "locus/cli/command.h"

namespace locus::cli {

// The words of the command line behind the program's name, last first, as CLI11 wants them.
std::vector<std::string> marked_words(const CLI::App& program, int count, char** words);
// From what every command's TEXT, or the like, gets.
void take_marks_off(CLI::App& program);

}  // namespace locus::cli
