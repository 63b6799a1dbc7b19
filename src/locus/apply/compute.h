// Who computes the forward passes of a call. By default it is the calling thread. A server has one thread for
// all of its callers, which packs the texts of several callers in one batch. The result of a text does not
// depend on the other texts, bit for bit, so both give the same results.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "locus/apply/text_model.h"
#include "locus/base/error.h"
#include "locus/nn/generation.h"

namespace locus {

// What a model computed for a packed batch: f32 [rows, width]. Text i has the rows starts[i] to starts[i +
// 1].
struct TextRows {
  Tensor rows;
  std::vector<int32_t> starts;
};

TextRows rows_of_texts(const Tensor& rows);                         // one row per text
TextRows rows_of_tokens(const Tensor& rows, const Tokens& tokens);  // one row per token

// A forward pass over packed texts: a method of an object, which must outlive it. Equal passes compute the
// same, so texts of different callers may share a batch.
class TextPass {
 public:
  template <auto Method, class T>
  static TextPass of(const T& object) {
    return {&object, [](const void* on, const Tokens& tokens) {
              return (static_cast<const T*>(on)->*Method)(tokens);
            }};
  }
  TextRows operator()(const Tokens& tokens) const { return function_(object_, tokens); }
  bool operator==(const TextPass&) const = default;

 private:
  using Function = TextRows (*)(const void*, const Tokens&);
  TextPass(const void* object, Function function) : object_(object), function_(function) {}
  const void* object_;
  Function function_;
};

// Gets the rows of one text, which are all finite. If it throws because of the data, this text is invalid.
using TakeRows = std::function<void(size_t text, std::span<const float> rows)>;

// A sequence to generate, as for Generation::add().
struct WrittenSequence {
  std::vector<int32_t> prompt, text;
  GenerateOptions options;
};
// Called with each new token; if it returns false, that sequence ends.
using TakeToken = std::function<bool(size_t sequence, int32_t token)>;

class Compute {
 public:
  virtual ~Compute() = default;
  // Each call returns when all of its work is done. `take` is called on another thread, one call at a time.
  // Empty encodings are left out; errors[i] is set if text i is invalid.
  virtual void read(const TextModel& model, std::span<const Encoding> encodings, const TextPass& pass,
                    const TakeRows& take, std::span<std::optional<Error>> errors) = 0;
  virtual void write(const Model& model, std::span<const WrittenSequence> sequences,
                     const TakeToken& take) = 0;
  virtual void run(const std::function<void()>& work) = 0;  // anything else, in short pieces
};

// The tokens of texts, packed in this order.
Tokens packed(const Blueprint& blueprint, std::span<const Encoding* const> encodings);
// Calls take() for a text of a batch. The error if the text is invalid.
std::optional<Error> take_text(const TextRows& rows, size_t place, size_t text, const TakeRows& take);

}  // namespace locus
