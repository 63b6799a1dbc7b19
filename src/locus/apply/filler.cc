#include "locus/apply/filler.h"

#include <algorithm>
#include <numeric>

#include "locus/nn/head.h"
#include "locus/nn/sampling.h"
#include "locus/op/gather.h"
#include "locus/run/task_frame.h"

namespace locus {

Filler::Filler(const std::filesystem::path& folder, DType weights, Device device)
    : Filler(TextModel(folder, weights, device)) {}
Filler::Filler(TextModel model) : model_(std::move(model)) {
  model_.require_head(HeadKind::masked_token, "fill masks");
  mask_id_ = mask_token(model_.task());
  mask_ = model_.tokenizer().bytes(mask_id_);
}

FilledMask Filler::filled(const Encoding& encoding, size_t token, std::span<const float> logits, size_t count,
                          std::span<const int32_t> targets) const {
  const std::vector<double> scores = probabilities(logits);
  // The model may have more rows than the tokenizer has tokens.
  std::vector<int32_t> ids(targets.begin(), targets.end());
  if (targets.empty()) {
    ids.resize(std::min(scores.size(), static_cast<size_t>(model_.tokenizer().size())));
    std::iota(ids.begin(), ids.end(), 0);
  }
  count = std::min(count, ids.size());
  std::ranges::partial_sort(ids, ids.begin() + static_cast<int64_t>(count), [&](int32_t a, int32_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  ids.resize(count);
  FilledMask mask{.bytes = encoding.offsets[token]};
  std::vector<int32_t> whole = encoding.ids;
  for (const int32_t id : ids) {
    mask.best.push_back({id, model_.tokenizer().decode(std::span(&id, 1)), scores[id]});
    whole[token] = id;
    if (std::ranges::count(encoding.ids, mask_id_) == 1) {
      mask.texts.push_back(model_.tokenizer().decode_text(whole));
    }
  }
  return mask;
}

// The logits of the masks only, which are few.
TextRows Filler::compute(const Tokens& texts) const {
  const auto ids = texts.ids.values();
  const auto starts = texts.placement.sequences().query_starts.values();
  std::vector<int32_t> masks, firsts;  // rows of masks, and the first mask of each text
  for (size_t text = 0, row = 0; text < starts.size(); ++text) {
    for (; row < static_cast<size_t>(starts[text]); ++row) {
      if (ids[row] == mask_id_) masks.push_back(static_cast<int32_t>(row));
    }
    firsts.push_back(static_cast<int32_t>(masks.size()));
  }
  const Var rows = op::gather(model_.model().hidden(texts), Indices::of(masks));
  return {model_.model().head()(rows, texts.placement).value().on_host(), std::move(firsts)};
}

std::vector<std::vector<FilledMask>> Filler::fill(ListView<std::string> texts, size_t count,
                                                  const ReadOptions& options,
                                                  std::span<const int32_t> targets) const {
  for (const int32_t id : targets) {
    require(id >= 0 && id < std::min<int64_t>(model_.tokenizer().size(), model_.blueprint().vocabulary),
            Code::bad_token, "fill: target is {}, expected the id of a token", id);
  }
  const std::vector<Encoding> encodings = encode_each(texts.size(), options, [&](size_t i) {
    Encoding encoding = model_.read({texts[i]}, options.truncate, Specials::are_tokens);
    require(std::ranges::count(encoding.ids, mask_id_) > 0,
            "the text has no mask, expected {} in place of a word", mask_);
    return encoding;
  });
  std::vector<std::vector<FilledMask>> result(texts.size());
  const auto V = static_cast<size_t>(model_.blueprint().vocabulary);
  read_batches(model_, encodings, options, TextPass::of<&Filler::compute>(*this),
               [&](size_t text, std::span<const float> own) {
                 const Encoding& encoding = encodings[text];
                 std::vector<FilledMask> found;
                 for (size_t token = 0; token < encoding.size(); ++token) {
                   if (encoding.ids[token] != mask_id_) continue;
                   found.push_back(filled(encoding, token, own.subspan(found.size() * V, V), count, targets));
                 }
                 result[text] = std::move(found);
               });
  return result;
}

}  // namespace locus
