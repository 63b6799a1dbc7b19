// Many texts at once: encoded by all threads, packed into batches of like lengths, results in the order the
// texts came. What is computed for a text does not depend on the others, bit for bit.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "locus/apply/text_model.h"
#include "locus/base/error.h"

namespace locus {

struct ReadOptions {
  bool truncate = false;        // a text that is too long is cut, and else an error
  int64_t batch_tokens = 4096;  // of a batch, about
  // Told of a text that cannot be read, by its place from 0, in order; its result stays empty. Without it,
  // the first such text is an error that names its number, from 1.
  std::function<void(size_t text, const Error& error)> on_bad = {};
};

// For texts that belong together, `size` one after the other, as the two of a pair: bad ones are told of
// once, by their group's place; an error names the group as `what`.
ReadOptions in_groups(const ReadOptions& options, std::string_view what, size_t size);

// Calls encode(i) for every text. One that throws has an empty encoding.
std::vector<Encoding> encode_all(size_t count, const ReadOptions& options,
                                 const std::function<Encoding(size_t)>& encode);

// Numbers of texts in groups of about `tokens` tokens, and at least one text; those of size 0 are left out.
std::vector<std::vector<size_t>> batches_of(std::span<const size_t> sizes, int64_t tokens);

// Some of the texts, packed: those of `which`, each at the row where it starts.
struct TextBatch {
  std::span<const size_t> which;
  Tokens tokens;
  std::span<const int32_t> starts() const {
    return tokens.placement.sequences().query_starts.data<int32_t>();
  }
};

// Goes through the batches of all encodings that are not empty, without a tape.
void each_batch(const TextModel& model, std::span<const Encoding> encodings, int64_t tokens,
                const std::function<void(const TextBatch&)>& work);

}  // namespace locus
