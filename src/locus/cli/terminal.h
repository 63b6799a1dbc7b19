// What is printed: whole or with an error, and for people as wide as their terminal.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace locus::cli {

// To stdout. Where its reader has left, the program stops without a word: Stopped.
void print(std::string_view text);
void flush();
void warn(std::span<const std::string> warnings);  // to stderr, a line each

// To stderr. Nobody may be able to read it: that is no reason to stop.
void tell(std::string_view text);
void note(std::string_view text);  // a line of its own, "locus: text", without control characters

std::string time_in_words(double seconds);  // "4 min 07 s", "2 h 05 min"

// Columns of the terminal on stdout; without one what COLUMNS says, else 100.
int terminal_width();

// Words in lines of at most `width` characters; a longer word is cut, behind a '|' where it has one. Line
// ends in the text stay.
std::vector<std::string> wrapped(std::string_view text, int width);

// Rows of cells in columns two blanks apart. Where they do not fit the width, the widest columns are wrapped,
// first between words.
std::string table(std::span<const std::vector<std::string>> rows, int width);

}  // namespace locus::cli
