#include "locus/apply/filler.h"

#include <algorithm>
#include <numeric>

#include "locus/nn/head.h"
#include "locus/nn/sampling.h"
#include "locus/op/gather.h"
#include "locus/run/task_frame.h"

namespace locus {

Filler::Filler(const std::filesystem::path& folder, DType weights) : model_(folder, weights) {
  model_.require_head(HeadKind::masked_token, "fill masks");
  mask_id_ = mask_token(model_.task());
  mask_ = model_.tokenizer().bytes(mask_id_);
}

FilledMask Filler::filled(const Encoding& encoding, size_t token, std::span<const float> logits,
                          size_t count) const {
  const std::vector<double> scores = probabilities(logits);
  // The model may have more rows than the tokenizer has tokens.
  std::vector<int32_t> ids(std::min(scores.size(), static_cast<size_t>(model_.tokenizer().size())));
  std::iota(ids.begin(), ids.end(), 0);
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

std::vector<std::vector<FilledMask>> Filler::fill(ListView<std::string> texts, size_t count,
                                                  const ReadOptions& options) const {
  const std::vector<Encoding> encodings = encode_each(texts.size(), options, [&](size_t i) {
    Encoding encoding = model_.read({texts[i]}, options.truncate, Specials::are_tokens);
    require(std::ranges::count(encoding.ids, mask_id_) > 0,
            "the text has no mask, expected {} in place of a word", mask_);
    return encoding;
  });
  std::vector<std::vector<FilledMask>> result(texts.size());
  const auto V = static_cast<size_t>(model_.blueprint().vocabulary);
  each_batch(model_, encodings, options, [&](const TextBatch& batch) {
    const auto ids = batch.tokens.ids.values();
    std::vector<int32_t> masks;  // rows of masks: only these need logits
    for (size_t row = 0; row < ids.size(); ++row) {
      if (ids[row] == mask_id_) masks.push_back(static_cast<int32_t>(row));
    }
    const Var hidden = model_.model().hidden(batch.tokens);
    const Var rows = op::gather(hidden, Indices::of(masks));
    const Tensor logits = model_.model().head()(rows, batch.tokens.placement).value();
    batch.each([&](size_t i, size_t text) {
      std::vector<FilledMask> found;
      auto next = static_cast<size_t>(std::ranges::lower_bound(masks, batch.starts()[i]) - masks.begin());
      for (; next < masks.size() && masks[next] < batch.starts()[i + 1]; ++next) {
        const auto token = static_cast<size_t>(masks[next] - batch.starts()[i]);
        const auto own = logits.data<float>().subspan(next * V, V);
        require_finite(own);
        found.push_back(filled(encodings[text], token, own, count));
      }
      result[text] = std::move(found);
    });
  });
  return result;
}

}  // namespace locus
