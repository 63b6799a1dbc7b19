#include "locus/text/pipeline/pre_tokenizer.h"

#include <utf8proc.h>

#include "locus/base/error.h"
#include "locus/text/pipeline/oniguruma.h"
#include "locus/text/pipeline/unicode_age.h"
#include "locus/text/unicode.h"
#include "locus/text/word_scanner.h"

namespace locus {
namespace {

bool is_space(int32_t code) { return class_of({.code = code, .length = 1}) == CharacterClass::space; }

bool is_number(int32_t code) { return class_of({.code = code, .length = 1}) == CharacterClass::number; }

// Printable ASCII except letters and digits, and the categories P of Unicode 8. Two characters have left
// these since.
bool is_punctuation(int32_t code) {
  if (code < 0x80) {
    return code > ' ' && code < 0x7f && class_of({.code = code, .length = 1}) == CharacterClass::other;
  }
  if (code == 0x166d || code == 0x111c9) return true;
  const auto category = utf8proc_category(code);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO && !added_since_unicode_9(code);
}

// Splits at one pattern.
class Cutter final : public PreTokenizer {
 public:
  Cutter(std::unique_ptr<Pattern> pattern, Cut cut, bool inverted = false)
      : pattern_(std::move(pattern)), cut_(cut), inverted_(inverted) {}
  void apply(AlignedText& text, Words& words) const override {
    cut_words(text, *pattern_, cut_, inverted_, words);
  }
  Chunking chunking() const override { return cut_ == Cut::isolated ? pattern_->chunking() : Chunking(); }
  bool by_word() const override { return true; }

 private:
  std::unique_ptr<Pattern> pattern_;
  Cut cut_;
  bool inverted_;
};

class BertPreTokenizer final : public PreTokenizer {
 public:
  void apply(AlignedText& text, Words& words) const override {
    cut_words(text, *spaces_, Cut::removed, false, words);
    cut_words(text, *punctuation_, Cut::isolated, false, words);
  }
  Chunking chunking() const override { return {punctuation_chunk_end, SplitPoints::before_ascii}; }
  bool by_word() const override { return true; }

 private:
  std::unique_ptr<Pattern> spaces_ = character_pattern(is_space);
  std::unique_ptr<Pattern> punctuation_ = character_pattern(is_punctuation);
};

class WhitespaceSplit final : public PreTokenizer {
 public:
  void apply(AlignedText& text, Words& words) const override {
    cut_words(text, *spaces_, Cut::removed, false, words);
  }
  Chunking chunking() const override { return {space_chunk_end, SplitPoints::at_spaces}; }
  bool by_word() const override { return true; }

 private:
  std::unique_ptr<Pattern> spaces_ = character_pattern(is_space);
};

// Splits like GPT-2. Bytes stay as they are, because the vocabulary is also read as bytes.
class ByteLevel final : public PreTokenizer {
 public:
  explicit ByteLevel(const JsonPart& part)
      : blank_first_(part.flag("add_prefix_space", true)), cuts_(part.flag("use_regex", true)) {}
  void apply(AlignedText& text, Words& words) const override {
    if (blank_first_) {
      std::vector<bool> wanted;
      for (const auto& word : words) wanted.push_back(text.text()[word.begin] != ' ');
      text.prepend(" ", words, wanted);
    }
    if (cuts_) cut_words(text, *pattern_, Cut::isolated, false, words);
  }
  bool gives_bytes() const override { return true; }
  Chunking chunking() const override { return cuts_ && !blank_first_ ? pattern_->chunking() : Chunking(); }
  bool by_word() const override { return true; }

 private:
  bool blank_first_, cuts_;
  std::unique_ptr<Pattern> pattern_ = scanner_pattern(word_end);
};

class PreTokenizerSequence final : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(const JsonPart& part) : where_(part.where()) {
    for (const JsonPart& each : part.parts("pretokenizers")) {
      require(!gives_bytes(), "{}: '{}' follows ByteLevel, expected ByteLevel to be the last step",
              part.json().where(), each.place());
      steps_.push_back(read_pre_tokenizer(each));
    }
  }
  void apply(AlignedText& text, Words& words) const override {
    for (const auto& step : steps_) {
      step->apply(text, words);
      text.budget().check(text.text().size(), where_, "pre-tokenizer");
    }
  }
  bool gives_bytes() const override { return !steps_.empty() && steps_.back()->gives_bytes(); }
  Chunking chunking() const override {
    const bool by_words =
        std::all_of(steps_.begin(), steps_.end(), [](const auto& s) { return s->by_word(); });
    return by_words && !steps_.empty() ? steps_.front()->chunking() : Chunking();
  }

 private:
  std::string where_;
  std::vector<std::unique_ptr<PreTokenizer>> steps_;
};

Cut read_cut(const JsonPart& part, std::string_view preset) {
  const std::string name = part.text("behavior", preset);
  if (name == "Removed") return Cut::removed;
  if (name == "Isolated") return Cut::isolated;
  if (name == "Contiguous") return Cut::contiguous;
  if (name == "MergedWithPrevious") return Cut::with_previous;
  if (name != "MergedWithNext") {
    part.refuse("behavior", "Removed, Isolated, Contiguous, MergedWithPrevious or MergedWithNext");
  }
  return Cut::with_next;
}

}  // namespace

std::unique_ptr<PreTokenizer> read_pre_tokenizer(const JsonPart& part) {
  const std::string type = part.type();
  if (type == "Sequence") return std::make_unique<PreTokenizerSequence>(part);
  if (type == "BertPreTokenizer") return std::make_unique<BertPreTokenizer>();
  if (type == "ByteLevel") return std::make_unique<ByteLevel>(part);
  if (type == "Metaspace") return read_metaspace(part);
  if (type == "Split") {
    return std::make_unique<Cutter>(read_pattern(part), read_cut(part, "Removed"),
                                    part.flag("invert", false));
  }
  if (type == "WhitespaceSplit") return std::make_unique<WhitespaceSplit>();
  if (type == "Whitespace") {
    // \w+|[^\w\s]+, where \w includes joiners.
    const std::string word = std::string(kWordMembers) + R"(\x{200c}\x{200d})";
    return std::make_unique<Cutter>(
        regex_pattern(fmt::format("[{0}]+|[^{1}{0}]+", word, kBlankMembers), part.where()), Cut::removed,
        true);
  }
  if (type == "Digits") {
    return std::make_unique<Cutter>(character_pattern(is_number),
                                    part.flag("individual_digits", false) ? Cut::isolated : Cut::contiguous);
  }
  if (type == "Punctuation") {
    return std::make_unique<Cutter>(character_pattern(is_punctuation), read_cut(part, "Isolated"));
  }
  part.refuse_type("pre-tokenizer", {"BertPreTokenizer", "ByteLevel", "Digits", "Metaspace", "Punctuation",
                                     "Sequence", "Split", "Whitespace", "WhitespaceSplit"});
}

}  // namespace locus
