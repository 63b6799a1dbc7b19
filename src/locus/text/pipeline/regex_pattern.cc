// Regular expressions under PCRE2, if they have no scanner. Every place where a match may begin has a few
// backtracking steps and a window of bytes of its own, which nearly all matches need only a part of. Further
// steps and bytes come from the budget of the text, so that no expression can hang the program. The window
// is needed because PCRE2 does not count the steps of a loop that cannot backtrack: a++b reads a run of the
// letter a to its end from each of its places.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>

#include "locus/base/error.h"
#include "locus/text/pipeline/pattern.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

constexpr uint32_t kOwnSteps = 256, kOwnBytes = 512, kMoreTimes = 4;
constexpr size_t kBytesOfAStep = 8;                            // that PCRE2 reads in the time of a step
constexpr uint32_t kDeepest = 10'000, kMostMemory = 64 << 10;  // in KiB

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
    pcre2_set_match_limit(limits_.get(), kOwnSteps);
    pcre2_set_depth_limit(limits_.get(), kDeepest);
    pcre2_set_heap_limit(limits_.get(), kMostMemory);
  }

  // Bytes that are not UTF-8 match nothing, and the stretches between them are searched one by one.
  // PCRE2_NO_UTF_CHECK: otherwise PCRE2 would check the rest of the text before every match.
  void find(std::string_view text, TextBudget& budget,
            std::vector<AlignedText::Range>& matches) const override {
    const Match match(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
    for (size_t begin = 0; begin < text.size();) {
      size_t end = begin;
      while (end < text.size() && character_at(text, end).code != Character::kNoCode) {
        end += character_at(text, end).length;
      }
      find_in(text, {begin, end}, match, budget, matches);
      begin = end + 1;
    }
  }

 private:
  // A match, or part of one, that begins at or after `i`. It may read `bytes` bytes from there; if it needs
  // more, the result is PCRE2_ERROR_PARTIAL.
  int match_at(std::string_view part, size_t i, size_t bytes, uint32_t options, const Match& match,
               const Limits& limits) const {
    const size_t end = window_end(part, i, bytes);
    return pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(part.data()), end, i,
                       options | PCRE2_NO_UTF_CHECK | (end < part.size() ? PCRE2_PARTIAL_HARD : 0),
                       match.get(), limits.get());
  }

  // The end of the window at `i`, which is not inside a character.
  static size_t window_end(std::string_view part, size_t i, size_t bytes) {
    if (part.size() - i <= bytes) return part.size();
    size_t end = i + bytes;
    while (end < part.size() && (static_cast<unsigned char>(part[end]) & 0xc0) == 0x80) ++end;
    return end;
  }

  static bool needs_more(int found) {
    return found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_PARTIAL;
  }

  // The first match that begins at or after `i`.
  int search(std::string_view part, size_t i, uint32_t options, const Match& match,
             TextBudget& budget) const {
    while (i <= part.size()) {
      int found = match_at(part, i, kOwnBytes, options, match, limits_);
      if (needs_more(found)) {
        found = search_step_by_step(part, i, options, match, budget);
        if (found != PCRE2_ERROR_NOMATCH) return found;
        continue;
      }
      const size_t end = window_end(part, i, kOwnBytes);
      if (found != PCRE2_ERROR_NOMATCH || end == part.size()) return found;
      i = end;
    }
    return PCRE2_ERROR_NOMATCH;
  }

  // The same after PCRE2 stopped at a place that needs more than its own steps or bytes. Finds this place and
  // takes more, four times as many at every attempt. If it begins no match, the search continues at `i`.
  int search_step_by_step(std::string_view part, size_t& i, uint32_t options, const Match& match,
                          TextBudget& budget) const {
    const Limits limits(pcre2_match_context_copy(limits_.get()));
    const auto next = [&] { return i < part.size() ? i + character_at(part, i).length : i + 1; };
    int found = PCRE2_ERROR_NOMATCH;
    for (; i <= part.size(); i = next()) {
      found = match_at(part, i, kOwnBytes, options | PCRE2_ANCHORED, match, limits_);
      if (found != PCRE2_ERROR_NOMATCH) break;
    }
    const auto take = [&](size_t wanted) {
      const size_t taken = budget.take_steps(wanted);
      require(taken > 0, "{} takes too many steps: {} are used up at byte {} of a text of {} bytes", where_,
              budget.steps_taken(), i, part.size());
      return taken;
    };
    for (size_t steps = kOwnSteps, bytes = kOwnBytes; needs_more(found);) {
      if (found == PCRE2_ERROR_MATCHLIMIT) {
        steps = take(kMoreTimes * steps);
        pcre2_set_match_limit(limits.get(), static_cast<uint32_t>(steps));
      } else {
        bytes = std::min(kMoreTimes * bytes, part.size() - i);
        take(bytes / kBytesOfAStep + 1);
      }
      found = match_at(part, i, bytes, options | PCRE2_ANCHORED, match, limits);
    }
    if (found == PCRE2_ERROR_NOMATCH) i = next();
    return found;
  }

  void find_in(std::string_view text, AlignedText::Range stretch, const Match& match, TextBudget& budget,
               std::vector<AlignedText::Range>& matches) const {
    const std::string_view part = text.substr(stretch.begin, stretch.end - stretch.begin);
    const uint32_t options =
        (stretch.begin > 0 ? PCRE2_NOTBOL : 0) | (stretch.end < text.size() ? PCRE2_NOTEOL : 0);
    size_t last = std::string_view::npos;  // the end of the last match
    for (size_t i = 0; i <= part.size();) {
      const int found = search(part, i, options, match, budget);
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
