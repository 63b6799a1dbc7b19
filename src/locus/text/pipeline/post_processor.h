// The fourth step of a pipeline: tokens of its own around the texts, as in [CLS] A [SEP] B [SEP], and offsets
// that leave out the blanks a byte-level token begins or ends with.
#pragma once

#include <functional>

#include "locus/text/encoding.h"
#include "locus/text/pipeline/json_part.h"

namespace locus {

class PostProcessor {
 public:
  PostProcessor();  // the texts one behind the other, nothing around them
  explicit PostProcessor(const JsonPart& part);
  static PostProcessor ending(int32_t id);  // that token behind the texts, all of segment 0

  size_t added(bool pair) const;  // how many tokens it puts around
  // `second` may be nothing. Without `framed`, no tokens are put around. `spelled` gives a token's spelling.
  Encoding apply(Encoding first, const Encoding* second, bool framed,
                 const std::function<std::string_view(int32_t)>& spelled) const;
  // The place of an added token in a text, in bytes, without the blanks it took with it where the file asks
  // for that; `first`: it is the first token.
  TextSpan trimmed(std::string_view text, TextSpan span, bool first) const;
  // Ids that it puts around, to be checked against the vocabulary.
  std::vector<int32_t> ids() const;

 private:
  struct Step {
    int8_t text;               // 0 or 1; Encoding::kNoText: the ids
    std::vector<int32_t> ids;  // special tokens
    int32_t segment;
  };
  using Template = std::vector<Step>;

  void read(const JsonPart& part);
  void read_pairs(const JsonPart& part, bool roberta);
  static Template read_template(const JsonPart& part, const char* name);
  void trim(Encoding& encoding, const std::function<std::string_view(int32_t)>& spelled) const;
  bool own_blank(uint32_t blanks, TextSpan span, bool first) const;

  Template single_, pair_;
  bool declared_ = false;     // a template was read
  bool trims_ = false;        // blanks out of the offsets,
  bool blank_first_ = false;  // but for the one that was put in front
};

}  // namespace locus
