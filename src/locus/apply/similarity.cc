#include "locus/apply/similarity.h"

#include <algorithm>

#include "locus/apply/cosine.h"

namespace locus {
namespace {

std::span<const float> vector_of(const Tensor& vectors, size_t i) {
  const auto C = static_cast<size_t>(vectors.size(1));
  return vectors.data<float>().subspan(i * C, C);
}

Tensor embedded_queries(const Embedder& embedder, ListView<std::string> queries, const ReadOptions& options) {
  ReadOptions strict = options;
  strict.on_bad = [&](size_t i, const Error& error) {
    throw error.at(queries.size() == 1 ? "query" : fmt::format("query {}", i + 1));
  };
  return embedder.embed_as("query", queries, strict);
}

// The rows whose flag is not set.
Tensor without(const Tensor& rows, const std::vector<bool>& left_out) {
  std::vector<float> kept;
  for (size_t i = 0; i < left_out.size(); ++i) {
    if (!left_out[i]) std::ranges::copy(vector_of(rows, i), std::back_inserter(kept));
  }
  return Tensor::of({static_cast<int64_t>(kept.size()) / rows.size(1), rows.size(1)}, kept);
}

}  // namespace

std::vector<double> similarities(const Embedder& embedder, ListView<TextInput> pairs,
                                 const ReadOptions& options, std::string_view prompt) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < pairs.size(); ++i) {
    require(pairs[i].second.has_value(), "pair {} has one text, expected two", i + 1);
    texts.insert(texts.end(), {pairs[i].text, *pairs[i].second});
  }
  const Tensor vectors = embedder.embed(texts, in_groups(options, "pair", 2), prompt);
  std::vector<double> result;
  for (size_t i = 0; i < pairs.size(); ++i) {
    result.push_back(cosine(vector_of(vectors, 2 * i), vector_of(vectors, 2 * i + 1)));
  }
  return result;
}

Nearest::Nearest(const Embedder& embedder, ListView<std::string> queries, size_t count,
                 const ReadOptions& options)
    : embedder_(embedder), nearest_(embedded_queries(embedder, queries, options), count) {}

void Nearest::add(ListView<std::string> texts, const ReadOptions& options) {
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
  if (options.check_only) return;
  nearest_.add(without(vectors, bad), static_cast<int64_t>(numbers_.size()));
  for (size_t i = 0; i < texts.size(); ++i, ++seen_) {
    if (bad[i]) continue;
    texts_.emplace(static_cast<int64_t>(numbers_.size()), texts[i]);
    numbers_.push_back(seen_);
  }
  if (texts_.size() > most_texts_) forget_others();
}

void Nearest::forget_others() {
  std::map<int64_t, std::string> kept;
  for (const std::vector<NearRow>& rows : nearest_.best()) {
    for (const NearRow& near : rows) kept.try_emplace(near.row, texts_.at(near.row));
  }
  texts_ = std::move(kept);
  most_texts_ = 2 * texts_.size();
}

std::vector<std::vector<Nearest::Match>> Nearest::best() const {
  std::vector<std::vector<Match>> result;
  for (const std::vector<NearRow>& rows : nearest_.best()) {
    std::vector<Match>& matches = result.emplace_back();
    for (const NearRow& near : rows) {
      matches.push_back({near.score, numbers_[static_cast<size_t>(near.row)], texts_.at(near.row)});
    }
  }
  return result;
}

}  // namespace locus
