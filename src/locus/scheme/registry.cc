// The list of all schemes. To add one, add its file and a line in each of the two lists.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/base/trim.h"
#include "locus/scheme/combination.h"

namespace locus {

extern const SchemeInfo kNone;
extern const SchemeInfo kLearned;
extern const SchemeInfo kSinusoidal;
extern const SchemeInfo kRotary;
extern const SchemeInfo kXpos;
extern const SchemeInfo kAlibi;
extern const SchemeInfo kT5;
extern const SchemeInfo kKerple;
extern const SchemeInfo kShaw;
extern const SchemeInfo kTransformerXl;
extern const SchemeInfo kDeberta;
extern const SchemeInfo kFire;

namespace {

// clang-format off
constexpr const SchemeInfo* kBuiltIn[] = {
    &kNone,
    &kLearned,
    &kSinusoidal,
    &kRotary,
    &kXpos,
    &kAlibi,
    &kT5,
    &kKerple,
    &kShaw,
    &kTransformerXl,
    &kDeberta,
    &kFire,
};
// clang-format on

void check_geometry(const Geometry& geometry) {
  const auto positive = [](int64_t size, const char* name) {
    require(size > 0, "make_scheme: geometry.{} is {}, expected at least 1", name, size);
  };
  positive(geometry.width, "width");
  positive(geometry.heads, "heads");
  positive(geometry.head_size, "head_size");
  positive(geometry.layers, "layers");
  require(geometry.max_length >= 0,
          "make_scheme: geometry.max_length is {}, expected at least 1, or 0 if it is unknown",
          geometry.max_length);
}

// The list of schemes(). It does not change after its first use, so that spans of it stay valid.
class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  std::span<const SchemeInfo* const> use() {
    const std::lock_guard lock(mutex_);
    used_ = true;
    return schemes_;
  }
  void add(const SchemeInfo& info) {
    const std::lock_guard lock(mutex_);
    if (used_) {
      fail(Fault::usage,
           "register_scheme: {} was registered after the first use of a scheme, expected before",
           quote(info.name));
    }
    check(info);
    schemes_.push_back(&info);
  }

 private:
  void check(const SchemeInfo& info) const;

  std::mutex mutex_;
  std::vector<const SchemeInfo*> schemes_{std::begin(kBuiltIn), std::end(kBuiltIn)};
  bool used_ = false;
};

// In lowercase, with spaces and dashes as underscores.
std::string plain(std::string_view name) {
  std::string result(name);
  for (char& c : result)
    c = c == ' ' || c == '-' ? '_' : 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return result;
}

bool has_name(const SchemeInfo& info, std::string_view plain_word) {
  if (plain(info.name) == plain_word) return true;
  const std::vector<std::string_view> aliases = split(info.aliases, ',');
  return std::ranges::count(aliases, plain_word, plain) > 0;
}

// A plain name without the words that fit every scheme: "rotary" of "rotary_position_embeddings". The name
// itself if it has no other word.
std::string distinctive(std::string_view plain_name) {
  constexpr std::string_view kGeneral[] = {"position",  "positions", "positional", "encoding",
                                           "encodings", "embedding", "embeddings"};
  std::string result;
  for (const std::string_view word : split(plain_name, '_')) {
    if (std::ranges::count(kGeneral, word) > 0) continue;
    result += fmt::format("{}{}", result.empty() ? "" : "_", word);
  }
  return result.empty() ? std::string(plain_name) : result;
}

// Whether the word is part of an alias: "bias" of "linear bias".
bool has_word(const SchemeInfo& info, std::string_view plain_word) {
  for (const std::string_view alias : split(info.aliases, ',')) {
    const std::string words = "_" + plain(alias) + "_";
    if (words.find(fmt::format("_{}_", plain_word)) != std::string::npos) return true;
  }
  return false;
}

void Registry::check(const SchemeInfo& info) const {
  const auto valid = [](char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '_'; };
  require(!info.name.empty() && std::ranges::all_of(info.name, valid),
          "register_scheme: the name is {}, expected lowercase letters, digits and underscores",
          quote(info.name));
  require(info.make != nullptr, "register_scheme: {} has no function make", quote(info.name));
  std::vector<std::string_view> names = split(info.aliases, ',');
  names.push_back(info.name);
  for (const SchemeInfo* other : schemes_) {
    for (const std::string_view name : names) {
      require(!has_name(*other, plain(name)), "register_scheme: the name {} of {} is taken by {}",
              quote(name), quote(info.name), quote(other->name));
    }
  }
}

// The scheme with this name or alias; nullptr if there is none.
const SchemeInfo* find_scheme(std::string_view name) {
  const std::span<const SchemeInfo* const> all = schemes();
  const auto exact = std::ranges::find(all, name, &SchemeInfo::name);
  if (exact != all.end()) return *exact;
  const std::string word = plain(name);
  for (const std::string& known : {word, distinctive(word)}) {
    const auto named =
        std::ranges::find_if(all, [&](const SchemeInfo* info) { return has_name(*info, known); });
    if (named != all.end()) return *named;
  }
  return nullptr;
}

[[noreturn]] void refuse_scheme(std::string_view name) {
  std::vector<std::string_view> names, likely;
  const std::string word = distinctive(plain(name));
  for (const SchemeInfo* info : schemes()) {
    names.push_back(info->name);
    if (has_word(*info, word)) likely.push_back(info->name);
  }
  const std::string hint = likely.empty() ? did_you_mean(name, names)
                                          : fmt::format("did you mean '{}'?", fmt::join(likely, "' or '"));
  fail({Fault::usage, Code::unknown_scheme, hint}, "unknown scheme {}, expected one of {}", quote(name),
       fmt::join(names, ", "));
}

}  // namespace

void register_scheme(const SchemeInfo& info) { Registry::instance().add(info); }

std::span<const SchemeInfo* const> schemes() { return Registry::instance().use(); }

bool acts_on_input(const SchemeInfo& info) {
  return info.parts.empty()
             ? info.acts_on == ActsOn::input
             : std::ranges::any_of(info.parts, [](const SchemeInfo* part) { return acts_on_input(*part); });
}

std::string_view name_of(ActsOn place) {
  constexpr std::string_view kNames[] = {"nothing", "input", "rotation", "score"};
  return kNames[static_cast<size_t>(place)];
}

const SchemeInfo& scheme_info(std::string_view name) {
  if (name.find(kPlus) != std::string_view::npos) return combination_info(name);
  const SchemeInfo* const found = find_scheme(name);
  if (found == nullptr) refuse_scheme(name);
  return *found;
}

OptionValues extended(const Extension& extension, int64_t trained_length, int64_t new_length) {
  OptionValues values;
  for (const auto& [name, value] : extension.options) {
    if (value == "{length}") {
      values.emplace(name, fmt::format("{}", new_length));
    } else if (value == "{factor}") {
      values.emplace(
          name, fmt::format("{}", static_cast<double>(new_length) / static_cast<double>(trained_length)));
    } else {
      values.emplace(name, value);
    }
  }
  return values;
}

OptionValues options_for_length(const SchemeInfo& info, int64_t length) {
  OptionValues values;
  const auto trained = static_cast<double>(length);
  for (const LengthRule& rule : info.length_rules) {
    if (trained >= rule.length) continue;
    const double value = std::max(rule.least, std::floor(rule.value * trained / rule.length));
    values.emplace(rule.option, fmt::format("{}", value));
  }
  for (const SchemeInfo* part : info.parts) {
    for (const auto& [name, value] : options_for_length(*part, length)) {
      values.emplace(fmt::format("{}.{}", part->name, name), value);
    }
  }
  return values;
}

std::unique_ptr<Scheme> make_scheme(std::string_view name, const Geometry& geometry,
                                    const OptionValues& values, const Scope& scope,
                                    const InitRandom& random) {
  const SchemeInfo& info = scheme_info(name);
  check_geometry(geometry);
  const Options options(info.name, info.options.list(), values);
  return info.make ? info.make(geometry, options, scope, random)
                   : make_combination(info, geometry, options, scope, random);
}

}  // namespace locus
