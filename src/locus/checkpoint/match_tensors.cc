// Matches the tensors of the files with the bindings. Names differ by prefix (a checkpoint saved with or
// without a head), by age (LayerNorm.gamma), and for tied tables.
#include <algorithm>
#include <cmath>
#include <set>

#include "locus/base/quote.h"
#include "locus/checkpoint/listed.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/checkpoint/stored_type.h"

namespace locus {
namespace {

constexpr size_t kMostListed = 50;

// Buffers and old heads in checkpoints that Locus ignores: it computes them itself or does not use them.
constexpr std::string_view kLeftoverEnds[] = {
    ".position_ids", "position_ids",    ".rotary_emb.inv_freq",     ".masked_bias",
    ".attn.bias",    ".attention.bias", ".embed_positions.weights",
};
constexpr std::string_view kSineTable = ".embed_positions.weight";
constexpr std::string_view kLeftoverParts[] = {"cls.seq_relationship.", "pooler."};

bool leftover(const Family& family, std::string_view name) {
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  return std::ranges::any_of(kLeftoverEnds, ends) || std::ranges::any_of(family.leftovers, ends) ||
         std::ranges::any_of(kLeftoverParts, [&](std::string_view part) {
           return name.find(part) != std::string_view::npos;
         });
}

std::string with_end(std::string_view name, std::string_view end, std::string_view other) {
  return std::string(name.substr(0, name.size() - end.size())) + std::string(other);
}

// The name in early TensorFlow checkpoints; empty if it is the same.
std::string old_name(std::string_view name) {
  if (name.ends_with("LayerNorm.weight")) return with_end(name, "weight", "gamma");
  if (name.ends_with("LayerNorm.bias")) return with_end(name, "bias", "beta");
  return "";
}

// All names that a tensor may have, the most likely first.
std::vector<std::string> names_of(const Family& family, const Binding& binding) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    names.push_back(name);
    if (const std::string old = old_name(name); !old.empty()) names.push_back(old);
  };
  std::vector<std::string> own = {binding.tensor};
  own.insert(own.end(), binding.aliases.begin(), binding.aliases.end());
  for (const std::string& name : own) {
    add(name);
    for (const std::string_view first : family.prefixes) {
      if (!name.starts_with(first)) continue;
      const std::string bare = name.substr(first.size());
      add(bare);
      for (const std::string_view other : family.prefixes) {
        if (other != first) add(std::string(other) + bare);
      }
    }
  }
  return names;
}

std::string shape_text(const TensorEntry& entry) {
  constexpr size_t kMostSizes = 2 * Shape::kMaxRank;
  const auto shown = std::span(entry.sizes).first(std::min(entry.sizes.size(), kMostSizes));
  const std::string more =
      shown.size() < entry.sizes.size() ? fmt::format(", ... ({} sizes)", entry.sizes.size()) : "";
  return fmt::format("{} [{}{}]", entry.type->name, fmt::join(shown, ", "), more);
}

bool fits(const TensorEntry& entry, const Shape& shape) {
  return std::ranges::equal(entry.sizes, shape.sizes(),
                            [](uint64_t a, int64_t b) { return a == static_cast<uint64_t>(b); });
}

bool readable(const TensorEntry& entry, const Shape& shape) {
  return entry.type->dtype && is_float(*entry.type->dtype) && fits(entry, shape);
}

bool of_base(const Family& family, std::string_view name) {
  return std::ranges::any_of(family.prefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Whether a checkpoint was saved with a head. Then the names of the base model have the prefix, and names
// without it belong to the head.
bool saved_with_head(const Family& family, const WeightFiles& files) {
  return std::ranges::any_of(files.files(), [&](const SafetensorsFile& file) {
    return std::ranges::any_of(file.entries(),
                               [&](const TensorEntry& entry) { return of_base(family, entry.name); });
  });
}

// Counts all problems, but formats only as many as the error lists, plus one that shows there are more.
class Problems {
 public:
  template <class... Parts>
  void add(fmt::format_string<Parts...> text, Parts&&... parts) {
    if (count_++ <= kMostListed) texts_.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  }

  void refuse(const std::filesystem::path& folder) const {
    if (count_ == 0) return;
    fail(Fault::data, "'{}': config.json and the weights do not match in {} tensor{}:{}", folder.string(),
         count_, count_ == 1 ? "" : "s", listed(texts_, kMostListed));
  }

 private:
  std::vector<std::string> texts_;
  size_t count_ = 0;
};

// Files may store a tensor under several names, for example the token embeddings, or a bias of the head that
// config.json ties to another. Locus has one parameter: all copies must be equal. The name of a tied head is
// skipped, because the file may contain a separate head under it.
void compare_copies(const WeightFiles& files, const Binding& binding, std::span<const std::string> names,
                    Problems& problems) {
  for (const std::string& name : names) {
    if (name == binding.tensor || name == binding.tied || !files.find(name)) continue;
    if (files.same(binding.tensor, name)) continue;
    problems.add("{} and {} differ, expected equal values: Locus has one parameter for both",
                 quote(binding.tensor), quote(name));
  }
}

// Whether the head differs from the token embeddings. Then it is not tied, and neither is its bias: the file
// may contain another one, which transformers does not use.
bool unties_head(const WeightFiles& files, const Binding& tokens) {
  return tokens.tied.empty() ||
         (tokens.tied != tokens.tensor && files.find(tokens.tied) != nullptr &&
          files.find(tokens.tensor) != nullptr && !files.same(tokens.tensor, tokens.tied));
}

// Whether a table has sines in the first half of its columns and cosines in the second, with the frequencies
// of transformers. Locus computes such tables, transformers reads them.
bool has_sines(const SafetensorsFile& file, const TensorEntry& entry) {
  constexpr double kRounding = 4e-3;  // that of bf16 numbers below 1
  if (entry.sizes.size() != 2 || !entry.type->dtype || !is_float(*entry.type->dtype)) return false;
  const std::vector<float> values = file.read(entry.name).values();
  const auto columns = static_cast<size_t>(entry.sizes[1]);
  const size_t sines = (columns + 1) / 2;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t column = i % columns, pair = column < sines ? column : column - sines;
    const double angle = static_cast<double>(i / columns) *
                         std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(columns));
    const double expected = column < sines ? std::sin(angle) : std::cos(angle);
    if (!(std::abs(static_cast<double>(values[i]) - expected) <= kRounding)) return false;
  }
  return true;
}

bool in_head(const Binding& binding) {
  return binding.owner == Owner::head || binding.owner == Owner::labels;
}

}  // namespace

void match_tensors(const Family& family, const WeightFiles& files, const std::filesystem::path& folder,
                   HeadSource head, std::vector<Binding>& bindings) {
  Problems problems;
  std::set<std::string, std::less<>> used;
  bool tied = false;
  std::vector<std::pair<const Binding*, std::vector<std::string>>> of_head;
  for (Binding& binding : bindings) {
    const std::vector<std::string> names = names_of(family, binding);
    const auto found = std::ranges::find_if(names, [&](const std::string& name) { return files.find(name); });
    for (const std::string& name : names) used.insert(name);
    const Shape expected = binding.shape();
    if (head == HeadSource::new_head && in_head(binding)) {
      const bool usable = found != names.end() && readable(files.find(*found)->entry(*found), expected);
      binding.random_init = !usable || binding.owner == Owner::labels;
      if (binding.random_init) continue;
    }
    if (found == names.end()) {
      problems.add("missing: {} {}", binding.tensor, expected.text());
      continue;
    }
    const TensorEntry& entry = files.find(*found)->entry(*found);
    if (!readable(entry, expected)) {
      problems.add("{} is {}, expected F32, BF16, F16 or F64 {}", quote(*found), shape_text(entry),
                   expected.text());
    }
    binding.tensor = *found;
    if (binding.owner == Owner::tokens) tied = !unties_head(files, binding);
    if (binding.owner == Owner::head) {
      of_head.emplace_back(&binding, names);
    } else {
      compare_copies(files, binding, names, problems);
    }
  }
  for (const auto& [binding, names] : of_head) {
    if (tied) compare_copies(files, *binding, names, problems);
  }
  const bool old_head = head != HeadSource::files && saved_with_head(family, files);
  for (const SafetensorsFile& file : files.files()) {
    for (const TensorEntry& entry : file.entries()) {
      if (family.sine_tables && entry.name.ends_with(kSineTable)) {
        if (!has_sines(file, entry))
          problems.add("{} is not the table of sinusoids that Locus computes", quote(entry.name));
        continue;
      }
      if (used.contains(entry.name) || leftover(family, entry.name)) continue;
      if (old_head && !of_base(family, entry.name)) continue;
      problems.add("unknown: {} {}", quote(entry.name), shape_text(entry));
    }
  }
  problems.refuse(folder);
}

bool head_is_missing(const Family& family, const WeightFiles& files, const std::vector<Binding>& bindings) {
  bool has_own = false;
  for (const Binding& binding : bindings) {
    if (!in_head(binding)) continue;
    has_own = true;
    const std::vector<std::string> names = names_of(family, binding);
    if (std::ranges::any_of(names, [&](const std::string& name) { return files.find(name); })) return false;
  }
  return has_own;
}

}  // namespace locus
