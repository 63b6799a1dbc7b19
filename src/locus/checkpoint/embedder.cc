#include "locus/checkpoint/embedder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "locus/base/parallel.h"
#include "locus/op/mean_rows.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

void scale_to_length_one(std::span<float> row) {
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * value;
  const double length = std::max(std::sqrt(squares), 1e-12);  // a vector of zeros stays one
  for (float& value : row) value = static_cast<float>(value / length);
}

}  // namespace

Embedder::Embedder(const fs::path& folder)
    : model_(open_model(folder)),
      tokenizer_(load_tokenizer(folder.string())),
      longest_(model_.architecture.blueprint.max_length) {
  const Blueprint& b = model_.architecture.blueprint;
  require(b.kind == ModelKind::encoder, "'{}' holds no encoder, expected one to embed texts with",
          folder.string());
  require(tokenizer_->size() <= b.vocabulary, "'{}': its tokenizer has {} tokens, but the model only {} rows",
          folder.string(), tokenizer_->size(), b.vocabulary);
  if (fs::exists(folder / "modules.json")) read_modules(folder);
  const fs::path own = folder / "sentence_bert_config.json";
  if (fs::exists(own)) longest_ = Config(own).integer("max_seq_length", 1, longest_, longest_);
}

// A list of modules, each with its type and, where it has files, its folder.
void Embedder::read_modules(const fs::path& folder) {
  const fs::path file = folder / "modules.json";
  const std::vector<std::byte> bytes = read_file(file, 1 << 20);
  const std::string list(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Config modules("{\"modules\": " + list + "}", file);
  for (int64_t i = 0; i < modules.count("modules"); ++i) {
    const std::string name = fmt::format("modules.{}.type", i), type = modules.text(name);
    const std::string kind = type.substr(type.rfind('.') + 1);
    if (kind == "Pooling") {
      read_pooling(folder / modules.text(fmt::format("modules.{}.path", i)) / "config.json");
    } else if (kind == "Normalize") {
      normalize_ = true;
    } else if (kind != "Transformer") {
      modules.refuse(name, "expected a module named Transformer, Pooling or Normalize");
    }
  }
}

void Embedder::read_pooling(const fs::path& file) {
  const Config config(file);
  constexpr std::pair<const char*, Pooling> kModes[] = {{"pooling_mode_mean_tokens", Pooling::mean},
                                                        {"pooling_mode_cls_token", Pooling::first},
                                                        {"pooling_mode_lasttoken", Pooling::last}};
  int chosen = 0;
  for (const auto& [name, mode] : kModes) {
    if (!config.flag(name, false)) continue;
    pooling_ = mode;
    ++chosen;
  }
  require(chosen == 1, "'{}': {} of the modes mean, cls and lasttoken are on, expected one", file.string(),
          chosen);
}

std::vector<Encoding> Embedder::encode(std::span<const std::string> texts, bool truncate) const {
  std::vector<Encoding> encodings(texts.size());
  EncodeOptions options;
  if (truncate) options.longest = static_cast<size_t>(longest_);
  constexpr int64_t kTextsOfChunk = 16;
  parallel_for(static_cast<int64_t>(texts.size()), kTextsOfChunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      encodings[i] = tokenizer_->encoding(texts[i], options);
      const size_t size = encodings[i].size();
      require(size > 0, "text {} has no tokens", i + 1);
      require(size <= static_cast<size_t>(longest_),
              "text {} has {} tokens, expected at most {}; --truncate cuts what is longer", i + 1, size,
              longest_);
    }
  });
  return encodings;
}

Tensor Embedder::embed(std::span<const std::string> texts, const EmbedOptions& options) const {
  const NoGrad no_grad;
  const std::vector<Encoding> encodings = encode(texts, options.truncate);
  // Texts of like lengths share a batch; the longest come first, so that memory is taken once.
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return encodings[i].size(); });
  const Tensor out = Tensor::empty({static_cast<int64_t>(texts.size()), width()});
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin, tokens = 0;
    while (end < order.size() && (end == begin || tokens < static_cast<size_t>(options.tokens))) {
      tokens += encodings[order[end++]].size();
    }
    embed_batch(encodings, std::span(order).subspan(begin, end - begin), out);
    begin = end;
  }
  return out;
}

void Embedder::embed_batch(std::span<const Encoding> texts, std::span<const size_t> which,
                           const Tensor& out) const {
  const Blueprint& b = model_.architecture.blueprint;
  std::vector<int32_t> ids, segments;
  std::vector<int64_t> lengths;
  for (const size_t i : which) {
    ids.insert(ids.end(), texts[i].ids.begin(), texts[i].ids.end());
    segments.insert(segments.end(), texts[i].segments.begin(), texts[i].segments.end());
    lengths.push_back(static_cast<int64_t>(texts[i].size()));
  }
  const auto count = static_cast<int64_t>(ids.size());
  Tokens tokens = {Tensor::of({count}, ids), Placement::of_lengths(lengths, b.policy()), {}};
  if (b.segments > 0) tokens.segments = Tensor::of({count}, segments);
  const Tensor starts = tokens.placement.sequences().query_starts;
  const Var hidden = model_.model.transformer()(tokens);
  const Tensor rows = pooling_ == Pooling::mean ? op::mean_rows(hidden, starts).value() : hidden.value();
  const auto from = rows.data<float>(), to = out.data<float>();
  const auto first = starts.data<int32_t>();
  for (size_t i = 0; i < which.size(); ++i) {
    const int64_t row = pooling_ == Pooling::mean    ? static_cast<int64_t>(i)
                        : pooling_ == Pooling::first ? first[i]
                                                     : first[i + 1] - 1;
    const auto place = to.subspan(which[i] * static_cast<size_t>(width()), static_cast<size_t>(width()));
    std::ranges::copy(from.subspan(static_cast<size_t>(row * width()), place.size()), place.begin());
    if (normalize_) scale_to_length_one(place);
  }
}

}  // namespace locus
