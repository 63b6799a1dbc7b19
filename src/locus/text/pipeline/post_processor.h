// The fourth step of a pipeline: adds special tokens around the texts, as in [CLS] A [SEP] B [SEP], and
// removes leading and trailing spaces of byte-level tokens from the offsets.
#pragma once

#include <functional>

#include "locus/base/json_part.h"
#include "locus/text/encoding.h"

namespace locus {

class PostProcessor {
 public:
  struct Step {
    int8_t text;               // 0 or 1; Encoding::kNoText: special tokens
    std::vector<int32_t> ids;  // special tokens
    int32_t segment;
  };
  using Template = std::vector<Step>;

  PostProcessor();  // joins the texts without special tokens
  explicit PostProcessor(const JsonPart& part);
  PostProcessor(Template single, Template pair) : single_(std::move(single)), pair_(std::move(pair)) {}

  size_t added(bool pair) const;  // number of special tokens
  // `second` may be null. Without `framed`, no special tokens are added. `spelled` returns the spelling of a
  // token.
  Encoding apply(Encoding first, const Encoding* second, bool framed,
                 const std::function<std::string_view(int32_t)>& spelled) const;
  // The byte range of an added or unknown token in a text, without its surrounding spaces if the file has
  // trim_offsets.
  // `first`: it is the first token.
  TextSpan trimmed(std::string_view text, TextSpan span, bool first) const;
  // The ids of all special tokens, to check them against the vocabulary.
  std::vector<int32_t> ids() const;

 private:
  void read(const JsonPart& part);
  void read_pairs(const JsonPart& part, bool roberta);
  static Template read_template(const JsonPart& part, const char* name);
  void trim(Encoding& encoding, const std::function<std::string_view(int32_t)>& spelled) const;
  bool own_blank(uint32_t blanks, TextSpan span, bool first) const;

  Template single_, pair_;
  bool declared_ = false;     // a template was read
  bool trims_ = false;        // removes spaces from offsets,
  bool blank_first_ = false;  // except a space that was prepended
};

}  // namespace locus
