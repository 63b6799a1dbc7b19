// Regular expressions under PCRE2, if they have no scanner. The number of steps between two matches is
// limited, so that no expression can hang the program.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "locus/base/error.h"
#include "locus/text/pipeline/pattern.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

constexpr uint32_t kMostSteps = 10'000'000, kDeepest = 10'000, kMostMemory = 64 << 10;  // in KiB

template <auto release>
struct Release {
  template <class T>
  void operator()(T* thing) const {
    release(thing);
  }
};
using CompiledCode = std::unique_ptr<pcre2_code, Release<pcre2_code_free>>;
using Match = std::unique_ptr<pcre2_match_data, Release<pcre2_match_data_free>>;
using Limits = std::unique_ptr<pcre2_match_context, Release<pcre2_match_context_free>>;

std::string message_of(int error) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(error, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

class RegexPattern final : public Pattern {
 public:
  RegexPattern(const std::string& expression, std::string where)
      : where_(std::move(where)), limits_(pcre2_match_context_create(nullptr)) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                              PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error,
                              &offset, nullptr));
    require(code_ != nullptr, "{} is not a valid regular expression: {}", where_, message_of(error));
    pcre2_set_match_limit(limits_.get(), kMostSteps);
    pcre2_set_depth_limit(limits_.get(), kDeepest);
    pcre2_set_heap_limit(limits_.get(), kMostMemory);
  }

  // Bytes that are not UTF-8 match nothing, and the stretches between them are searched one by one.
  // PCRE2_NO_UTF_CHECK: otherwise PCRE2 would check the rest of the text before every match.
  void find(std::string_view text, std::vector<AlignedText::Range>& matches) const override {
    const Match match(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
    for (size_t begin = 0; begin < text.size();) {
      size_t end = begin;
      while (end < text.size() && character_at(text, end).code != Character::kNoCode) {
        end += character_at(text, end).length;
      }
      find_in(text, {begin, end}, match, matches);
      begin = end + 1;
    }
  }

 private:
  void find_in(std::string_view text, AlignedText::Range stretch, const Match& match,
               std::vector<AlignedText::Range>& matches) const {
    const std::string_view part = text.substr(stretch.begin, stretch.end - stretch.begin);
    const uint32_t options = PCRE2_NO_UTF_CHECK | (stretch.begin > 0 ? PCRE2_NOTBOL : 0) |
                             (stretch.end < text.size() ? PCRE2_NOTEOL : 0);
    size_t last = std::string_view::npos;  // the end of the last match
    for (size_t i = 0; i <= part.size();) {
      const int found = pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(part.data()), part.size(), i,
                                    options, match.get(), limits_.get());
      if (found == PCRE2_ERROR_NOMATCH) return;
      require(found >= 0, "{} failed at byte {} of a text of {} bytes: {}", where_, stretch.begin + i,
              text.size(), message_of(found));
      const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
      if (ends[0] == ends[1] && ends[1] == last) {  // another empty match: continue after the next character
        if (i == part.size()) return;
        i += character_at(part, i).length;
        continue;
      }
      matches.push_back({stretch.begin + ends[0], stretch.begin + ends[1]});
      i = last = ends[1];
    }
  }

  std::string where_;
  CompiledCode code_;
  Limits limits_;
};

}  // namespace

bool is_script(std::string_view name) {
  const std::string expression = fmt::format("\\p{{sc:{}}}", name);
  int error = 0;
  PCRE2_SIZE at = 0;
  return CompiledCode(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                                    PCRE2_UTF, &error, &at, nullptr)) != nullptr;
}

std::unique_ptr<Pattern> regex_pattern(const std::string& expression, std::string where) {
  return std::make_unique<RegexPattern>(expression, std::move(where));
}

}  // namespace locus
