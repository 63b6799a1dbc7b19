// Which tensor of the files is meant by which binding: names differ by prefix (a checkpoint saved with a head
// or without), by age (LayerNorm.gamma), and where tables are tied.
#include <algorithm>
#include <set>

#include "locus/base/quote.h"
#include "locus/checkpoint/listed.h"
#include "locus/checkpoint/model_folder.h"

namespace locus {
namespace {

constexpr size_t kMostListed = 50;

// Buffers and old heads that checkpoints carry along: they are computed anew, or nothing reads them.
constexpr std::string_view kLeftoverEnds[] = {
    ".position_ids", "position_ids",    ".rotary_emb.inv_freq",     ".masked_bias",
    ".attn.bias",    ".attention.bias", ".embed_positions.weights",
};
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

// A name as TensorFlow's early checkpoints had it, or nothing.
std::string old_name(std::string_view name) {
  if (name.ends_with("LayerNorm.weight")) return with_end(name, "weight", "gamma");
  if (name.ends_with("LayerNorm.bias")) return with_end(name, "bias", "beta");
  return "";
}

// All names a tensor may have, the likeliest first.
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
  return fmt::format("{} [{}]", entry.type->name, fmt::join(entry.sizes, ", "));
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

// Whether a checkpoint was saved with a head: then the base model's names have the prefix, and those without
// belong to the head.
bool saved_with_head(const Family& family, const WeightFiles& files) {
  return std::ranges::any_of(files.files(), [&](const SafetensorsFile& file) {
    return std::ranges::any_of(file.entries(),
                               [&](const TensorEntry& entry) { return of_base(family, entry.name); });
  });
}

// All are counted, and as many are put into words as an error lists, and one, which it hints at.
class Problems {
 public:
  template <class... Parts>
  void add(fmt::format_string<Parts...> text, Parts&&... parts) {
    if (count_++ <= kMostListed) texts_.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  }

  void refuse(const std::filesystem::path& folder) const {
    if (count_ == 0) return;
    fail(Fault::data, "'{}': config.json and the weights do not fit together: {} tensor{}{}", folder.string(),
         count_, count_ == 1 ? "" : "s", listed(texts_, kMostListed));
  }

 private:
  std::vector<std::string> texts_;
  size_t count_ = 0;
};

// The table of tokens may stand under several names, but Locus has one: all must say the same. That of a tied
// head is not among them, for it may turn out to be the head's own.
void compare_tables(const WeightFiles& files, const Binding& binding, std::span<const std::string> names,
                    Problems& problems) {
  for (const std::string& name : names) {
    if (name == binding.tensor || name == binding.tied || !files.find(name)) continue;
    if (files.same(binding.tensor, name)) continue;
    problems.add("{} and {} differ, expected the same numbers: Locus has one table of tokens",
                 quote(binding.tensor), quote(name));
  }
}

}  // namespace

void match_tensors(const Family& family, const WeightFiles& files, const std::filesystem::path& folder,
                   HeadOf head, std::vector<Binding>& bindings) {
  Problems problems;
  std::set<std::string, std::less<>> used;
  for (Binding& binding : bindings) {
    const std::vector<std::string> names = names_of(family, binding);
    const auto found = std::ranges::find_if(names, [&](const std::string& name) { return files.find(name); });
    for (const std::string& name : names) used.insert(name);
    const Shape expected = binding.shape();
    if (head == HeadOf::caller && binding.ours.starts_with("head.")) {
      const bool there = found != names.end() && readable(files.find(*found)->entry(*found), expected);
      binding.drawn = !there || binding.ours.starts_with("head.out.");
      if (binding.drawn) continue;
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
    if (binding.ours == "tokens") compare_tables(files, binding, names, problems);
  }
  const bool old_head = head != HeadOf::files && saved_with_head(family, files);
  for (const SafetensorsFile& file : files.files()) {
    for (const TensorEntry& entry : file.entries()) {
      if (used.contains(entry.name) || leftover(family, entry.name)) continue;
      if (old_head && !of_base(family, entry.name)) continue;
      problems.add("unknown: {} {}", quote(entry.name), shape_text(entry));
    }
  }
  problems.refuse(folder);
}

bool lacks_head(const Family& family, const WeightFiles& files, const std::vector<Binding>& bindings) {
  bool has_own = false;
  for (const Binding& binding : bindings) {
    if (!binding.ours.starts_with("head.")) continue;
    has_own = true;
    const std::vector<std::string> names = names_of(family, binding);
    if (std::ranges::any_of(names, [&](const std::string& name) { return files.find(name); })) return false;
  }
  return has_own;
}

}  // namespace locus
