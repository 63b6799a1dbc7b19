// Output of the program: results to stdout, notes to stderr, tables fitted to the width of the terminal.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace locus::cli {

// Prints to stdout. Throws Stopped if the reader closed the pipe, and Error if writing fails otherwise.
void print(std::string_view text);
void flush();
void warn(std::span<const std::string> warnings);  // to stderr, one line each

// One of several processes that print to the same place calls this: only rank 0 prints, except errors.
void print_as_rank(int rank);

// Prints to stderr, and ignores failures.
void tell(std::string_view text);
void note(std::string_view text);  // one line, "locus: text", without control characters

void complain(std::string_view text);  // an error, as note() prints it; of rank 2, "locus: rank 2: text"

std::string time_in_words(double seconds);  // "4 min 07 s", "2 h 05 min"

// Columns of the terminal on stdout; without a terminal the variable COLUMNS, else 100.
int terminal_width();

// Wraps text into lines of at most `width` characters. A longer word is cut, if possible after a '|'. Line
// ends in the text are kept.
std::vector<std::string> wrapped(std::string_view text, int width);

// Formats rows of cells as columns separated by two spaces. If the rows do not fit the width, the widest
// columns are wrapped, between words if possible.
std::string table(std::span<const std::vector<std::string>> rows, int width);

}  // namespace locus::cli
