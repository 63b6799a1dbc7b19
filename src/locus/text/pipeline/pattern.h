// What a text is cut at, or replaced: a word, a kind of character, or a regular expression. The expressions
// of well-known vocabularies have scanners of their own, which look at every byte a bounded number of times;
// others run under PCRE2 with limits.
#pragma once

#include <memory>
#include <vector>

#include "locus/text/pipeline/aligned_text.h"
#include "locus/text/pipeline/json_part.h"
#include "locus/text/pipeline/parting.h"

namespace locus {

class Pattern {
 public:
  virtual ~Pattern() = default;
  // Adds the matches in order and without overlap. One may be empty, and is no place right behind another
  // then.
  virtual void find(std::string_view text, std::vector<AlignedText::Range>& matches) const = 0;
  virtual Parting parting() const { return {}; }  // of a text that it cuts
};

std::unique_ptr<Pattern> word_pattern(std::string word);
std::unique_ptr<Pattern> character_pattern(bool (*wanted)(int32_t code));  // each such character a match
std::unique_ptr<Pattern> scanner_pattern(size_t (*word_end)(std::string_view text, size_t begin));
// As PCRE2 reads it, over lines. `where` names it in the error when it does not compile, or when a text takes
// it too long.
std::unique_ptr<Pattern> regex_pattern(const std::string& expression, std::string where);
// Whether PCRE2 knows a script, as Han, by this name.
bool is_script(std::string_view name);

// The matches, to put a text in place of each. One of nothing is refused; `where` begins the error.
std::vector<AlignedText::Range> find_to_replace(const Pattern& pattern, std::string_view text,
                                                std::string_view where);

// The member "pattern": {"String": ".."}, {"Regex": ".."} or a plain string.
std::unique_ptr<Pattern> read_pattern(const JsonPart& part);

}  // namespace locus
