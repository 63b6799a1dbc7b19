// Windows over a token stream, for models that predict the next token. Window w covers the tokens
//   inputs  s .. s + L - 1,   targets  s + 1 .. s + L,   s = w * stride,
// where L is the context. Only windows with all their targets are used. Batch b of an epoch has the windows
// order(b * B) .. order(b * B + B - 1), where order is the identity or a permutation that depends on (seed,
// epoch) alone. So any batch can be computed without the batches before it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "locus/text/token_stream.h"

namespace locus {

struct WindowOptions {
  int64_t context = 0;  // L
  int64_t stride = 0;   // tokens from one window to the next; 0: the context, which leaves no token out
  int64_t batch = 1;    // B
  bool shuffle = false;
  uint64_t seed = 0;
  bool keep_last = true;  // use an incomplete last batch; false: drop its windows
};

struct WindowBatch {
  int64_t rows = 0, context = 0;
  std::vector<int32_t> inputs, targets;  // [rows, L]
  std::vector<int64_t> windows;          // [rows]: indices of the windows
};

class Windows {
 public:
  // The stream must have at least one window.
  Windows(std::shared_ptr<const TokenStream> stream, const WindowOptions& options);

  const TokenStream& stream() const { return *stream_; }
  const WindowOptions& options() const { return options_; }
  int64_t size() const { return size_; }  // windows
  int64_t batches() const;                // in an epoch
  WindowBatch batch(int64_t epoch, int64_t index) const;

 private:
  std::shared_ptr<const TokenStream> stream_;
  WindowOptions options_;
  int64_t size_ = 0;
};

}  // namespace locus
