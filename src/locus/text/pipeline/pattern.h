// A pattern to split a text at or to replace: a word, a class of characters, or a regular expression. The
// expressions of well-known vocabularies have hand-written scanners, which read every byte a bounded number
// of times. Other expressions run under PCRE2 and take their steps from the budget of the text.
#pragma once

#include <memory>
#include <vector>

#include "locus/base/json_part.h"
#include "locus/text/pipeline/aligned_text.h"
#include "locus/text/pipeline/chunking.h"

namespace locus {

class Pattern {
 public:
  virtual ~Pattern() = default;
  // Adds the matches, in order and without overlap. A match may be empty, but not directly after another
  // match.
  virtual void find(std::string_view text, TextBudget& budget,
                    std::vector<AlignedText::Range>& matches) const = 0;
  virtual Chunking chunking() const { return {}; }  // of a text that is split at it
};

std::unique_ptr<Pattern> word_pattern(std::string word);
std::unique_ptr<Pattern> character_pattern(bool (*wanted)(int32_t code));  // each such character is a match
std::unique_ptr<Pattern> scanner_pattern(size_t (*word_end)(std::string_view text, size_t begin));
// A PCRE2 expression in multiline mode. `where` names it in errors: if it does not compile, or takes
// too many steps in a text.
std::unique_ptr<Pattern> regex_pattern(const std::string& expression, std::string where);
// Whether PCRE2 knows a script of this name, such as Han.
bool is_script(std::string_view name);

// The matches to replace. Throws if a match is empty; `where` begins the error.
std::vector<AlignedText::Range> find_to_replace(const Pattern& pattern, std::string_view text,
                                                TextBudget& budget, std::string_view where);

// The member "pattern": {"String": ".."}, {"Regex": ".."} or a plain string.
std::unique_ptr<Pattern> read_pattern(const JsonPart& part);

}  // namespace locus
