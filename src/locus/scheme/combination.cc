#include "locus/scheme/combination.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <vector>

#include "locus/base/error.h"

namespace locus {
namespace {

class Combination final : public Scheme {
 public:
  void add(ActsOn place, std::unique_ptr<Scheme> part) {
    (place == ActsOn::input ? input_ : place == ActsOn::rotation ? rotation_ : scores_) = std::move(part);
  }

  SchemePass begin(const Placement& placement) const override {
    const auto pass = [&](const std::unique_ptr<Scheme>& part) {
      return part ? part->begin(placement) : SchemePass();
    };
    return SchemePass::combined(pass(input_), pass(rotation_), pass(scores_));
  }
  int64_t joined_width() const override { return input_ ? input_->joined_width() : 0; }
  int64_t variant(int64_t length) const override { return rotation_ ? rotation_->variant(length) : 0; }

 private:
  std::unique_ptr<Scheme> input_, rotation_, scores_;
};

std::vector<const SchemeInfo*> parts_of(std::string_view name) {
  std::vector<const SchemeInfo*> parts;
  for (std::string_view rest = name;;) {
    const size_t end = std::min(rest.find(kPlus), rest.size());
    const SchemeInfo& part = scheme_info(rest.substr(0, end));
    if (part.acts_on == ActsOn::nothing) {
      fail(Fault::usage, "scheme {}: {} does nothing, so it cannot be combined with other schemes", name,
           part.name);
    }
    const auto rival = std::ranges::find(parts, part.acts_on, &SchemeInfo::acts_on);
    if (rival != parts.end()) {
      fail(Fault::usage, "scheme {}: {} and {} both act on the {}, expected at most one scheme there", name,
           (*rival)->name, part.name, name_of(part.acts_on));
    }
    parts.push_back(&part);
    if (end == rest.size()) return parts;
    rest.remove_prefix(end + 1);
  }
}

std::string name_of(const std::vector<const SchemeInfo*>& parts) {
  std::string name;
  for (const SchemeInfo* part : parts)
    name += (name.empty() ? "" : std::string(1, kPlus)) + std::string(part->name);
  return name;
}

// A SchemeInfo of views, together with the strings and lists that they point to.
struct OwnedInfo {
  std::vector<const SchemeInfo*> parts;
  std::string name, summary, formula, paper, models, cost;
  std::deque<std::string> option_names;
  std::vector<OptionSpec> options;
  std::deque<std::vector<std::pair<std::string_view, std::string_view>>> extended;
  std::vector<Extension> extensions;
  SchemeInfo info;

  OwnedInfo(const OwnedInfo&) = delete;
  explicit OwnedInfo(std::vector<const SchemeInfo*> given) : parts(std::move(given)), name(name_of(parts)) {
    const auto joined = [&](std::string_view SchemeInfo::*field, std::string_view between) {
      std::vector<std::string_view> texts;
      for (const SchemeInfo* part : parts) texts.push_back(part->*field);
      return fmt::format("{}", fmt::join(texts, between));
    };
    summary = joined(&SchemeInfo::summary, "; ");
    formula = joined(&SchemeInfo::formula, "\n");
    paper = joined(&SchemeInfo::paper, "; ");
    for (const SchemeInfo* part : parts) {
      models += fmt::format("{}{} alone: {}", models.empty() ? "" : "; ", part->name, part->models);
    }
    cost = joined(&SchemeInfo::cost, "; ");
    for (const SchemeInfo* part : parts) {
      for (const OptionSpec& option : part->options.list()) {
        options.push_back(option);
        options.back().name = named(*part, option.name);
      }
      if (another_part_ends(*part)) continue;  // extending this one does not extend the combination
      for (const Extension& extension : part->extensions) {
        auto& own = extended.emplace_back(extension.options.begin(), extension.options.end());
        for (auto& option : own) option.first = named(*part, option.first);
        extensions.push_back({extension.name, own});
      }
    }
    info = {.name = name,
            .summary = summary,
            .formula = formula,
            .paper = paper,
            .models = models,
            .cost = cost,
            .relative = std::ranges::all_of(parts, &SchemeInfo::relative),
            .extrapolates = std::ranges::all_of(parts, &SchemeInfo::extrapolates),
            .options = std::span<const OptionSpec>(options),
            .extensions = extensions,
            .parts = parts};
  }

  std::string_view named(const SchemeInfo& part, std::string_view option) {
    return option_names.emplace_back(fmt::format("{}.{}", part.name, option));
  }
  // Whether a part other than this one is undefined past the trained length.
  bool another_part_ends(const SchemeInfo& part) const {
    return std::ranges::any_of(
        parts, [&](const SchemeInfo* other) { return other != &part && !other->extrapolates; });
  }
};

}  // namespace

SchemePass SchemePass::combined(const SchemePass& input, const SchemePass& rotation,
                                const SchemePass& scores) {
  SchemePass all;
  all.input_ = input.input_;
  all.rotation_ = rotation.rotation_;
  all.scores_ = scores.scores_;
  return all;
}

const SchemeInfo& combination_info(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, OwnedInfo, std::less<>> infos;
  const std::lock_guard lock(mutex);
  const std::vector<const SchemeInfo*> parts = parts_of(name);
  return infos.try_emplace(name_of(parts), parts).first->second.info;
}

std::unique_ptr<Scheme> make_combination(const SchemeInfo& info, const Geometry& geometry,
                                         const Options& options, const Scope& scope,
                                         const InitRandom& random) {
  auto combination = std::make_unique<Combination>();
  for (size_t i = 0; i < info.parts.size(); ++i) {
    const SchemeInfo& part = *info.parts[i];
    const std::string prefix = fmt::format("{}.", part.name);
    OptionValues own;
    for (const auto& [name, value] : options.values()) {
      if (name.starts_with(prefix)) own.emplace(name.substr(prefix.size()), value);
    }
    // The first part has the same initial values as it would have alone.
    const InitRandom stream = random ? InitRandom(Random(random->seed(), random->stream() + i)) : random;
    combination->add(part.acts_on, make_scheme(part.name, geometry, own, scope / part.name, stream));
  }
  return combination;
}

}  // namespace locus
