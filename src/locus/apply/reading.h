// Batched inference: texts are encoded by all threads and packed into batches of similar length. Results are
// in the order of the texts. The result of a text does not depend on the other texts, bit for bit.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "locus/apply/text_model.h"
#include "locus/base/error.h"
#include "locus/base/list_view.h"

namespace locus {

struct ReadOptions {
  bool truncate = false;        // true: cut texts that are too long; false: they are an error
  int64_t batch_tokens = 4096;  // approximate number of tokens in a batch
  // Called for each invalid text, with its index from 0; the result of that text stays empty. A text is also
  // invalid if the model computes NaN or infinity for it. Called in order for texts that cannot be read, then
  // in order for those without a finite result. If absent, the first invalid text throws, and the error names
  // its number from 1.
  std::function<void(size_t text, const Error& error)> on_bad = {};
  // Called after each batch that went through the model, with the number of its texts.
  std::function<void(size_t texts)> on_batch = {};
  // Reads and checks the texts, but does not run the model: all results stay empty.
  bool check_only = false;
};

// For texts in groups of `size` consecutive ones, such as the two texts of a pair. on_bad is called once per
// group, with the index of the group; an error names the group as `what` and its number.
ReadOptions in_groups(const ReadOptions& options, std::string_view what, size_t size);

// Reports the texts that have an error to ReadOptions::on_bad.
void report_bad(std::span<const std::optional<Error>> errors, const ReadOptions& options);

// Calls encode(i) for every text, in parallel. The encoding is empty for a text whose call throws, and with
// ReadOptions::check_only.
std::vector<Encoding> encode_each(size_t count, const ReadOptions& options,
                                  const std::function<Encoding(size_t)>& encode);

// Groups the indices of texts into batches of about `tokens` tokens and at least one text. Texts of size 0
// are left out.
std::vector<std::vector<size_t>> batches_of(std::span<const size_t> sizes, int64_t tokens);

// A packed batch: the texts with the indices `which`, where text i begins at row starts()[i].
struct TextBatch {
  std::span<const size_t> which;
  Tokens tokens;
  std::span<std::optional<Error>> errors;  // by text
  std::span<const int32_t> starts() const { return tokens.placement.sequences().query_starts.values(); }
  // Calls one(i, which[i]) for every text. If it throws because of the data, this text is invalid.
  template <class F>
  void each(F&& one) const {
    for (size_t i = 0; i < which.size(); ++i) {
      try {
        one(i, which[i]);
      } catch (const Error& error) {
        if (error.fault() != Fault::data) throw;
        errors[which[i]] = error;
      }
    }
  }
};

// Throws if numbers that the model computed for a text are not all finite.
void require_finite(std::span<const float> numbers);

// Calls `work` for each batch of the non-empty encodings, without recording gradients. Reports the texts for
// which TextBatch::each() caught an error.
void each_batch(const TextModel& model, std::span<const Encoding> encodings, const ReadOptions& options,
                const std::function<void(const TextBatch&)>& work);

}  // namespace locus
