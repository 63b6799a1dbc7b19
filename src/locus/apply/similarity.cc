#include "locus/apply/similarity.h"

#include <algorithm>
#include <cmath>

namespace locus {
namespace {

std::span<const float> row(const Tensor& vectors, size_t i) {
  const auto C = static_cast<size_t>(vectors.size(1));
  return vectors.data<float>().subspan(i * C, C);
}

}  // namespace

double cosine(std::span<const float> a, std::span<const float> b) {
  require(a.size() == b.size(), Code::bad_shape,
          "cosine: the vectors have {} and {} elements, expected equal sizes", a.size(), b.size());
  double product = 0, left = 0, right = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += static_cast<double>(a[i]) * b[i];
    left += static_cast<double>(a[i]) * a[i];
    right += static_cast<double>(b[i]) * b[i];
  }
  const double lengths = std::sqrt(left) * std::sqrt(right);
  return lengths == 0 ? 0 : product / lengths;
}

std::vector<double> similarities(const Embedder& embedder, std::span<const TextInput> pairs,
                                 const ReadOptions& options, std::string_view prompt) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < pairs.size(); ++i) {
    require(pairs[i].second.has_value(), "pair {} has one text, expected two", i + 1);
    texts.insert(texts.end(), {pairs[i].text, *pairs[i].second});
  }
  const Tensor vectors = embedder.embed(texts, in_groups(options, "pair", 2), prompt);
  std::vector<double> result;
  for (size_t i = 0; i < pairs.size(); ++i) {
    result.push_back(cosine(row(vectors, 2 * i), row(vectors, 2 * i + 1)));
  }
  return result;
}

Nearest::Nearest(const Embedder& embedder, const std::string& query, size_t count, const ReadOptions& options)
    : embedder_(embedder), count_(count) {
  ReadOptions strict = options;
  strict.on_bad = [](size_t, const Error& error) { throw error.at("query"); };
  query_ = embedder.embed_as("query", std::span(&query, 1), strict);
}

void Nearest::add(std::span<const std::string> texts, const ReadOptions& options) {
  std::vector<bool> bad(texts.size());
  ReadOptions marked = options;
  marked.on_bad = [&](size_t i, const Error& error) {
    if (!options.on_bad) {
      throw error.at(fmt::format("text {}", seen_ + static_cast<int64_t>(i) + 1));
    }
    bad[i] = true;
    options.on_bad(i, error);
  };
  const Tensor vectors = embedder_.embed_as("document", texts, marked);
  for (size_t i = 0; i < texts.size(); ++i, ++seen_) {
    if (!bad[i]) best_.push_back({cosine(row(query_, 0), row(vectors, i)), seen_, texts[i]});
  }
  std::ranges::stable_sort(best_, std::greater(), &Match::score);
  if (best_.size() > count_) best_.resize(count_);
}

}  // namespace locus
