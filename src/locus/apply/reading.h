// Batched inference: texts are encoded by all threads and packed into batches of similar length. Results are
// in the order of the texts. The result of a text does not depend on the other texts, bit for bit.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "locus/apply/compute.h"
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
  Compute* compute = nullptr;  // nullptr: the calling thread computes
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

// Throws if numbers that the model computed for a text are not all finite.
void require_finite(std::span<const float> numbers);

// Sends the non-empty encodings through the model, in batches, without recording gradients. Reports the texts
// whose numbers are not finite, or for which `take` throws.
void read_batches(const TextModel& model, std::span<const Encoding> encodings, const ReadOptions& options,
                  const TextPass& pass, const TakeRows& take);

}  // namespace locus
