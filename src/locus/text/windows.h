// Windows over a token stream, for models that predict the next token. Window w covers the tokens
//   inputs  s .. s + L - 1,   targets  s + 1 .. s + L,   s = w * stride,
// with L the context; there are as many as have all their targets. Batch b of an epoch holds the windows
// order(b * B) .. order(b * B + B - 1), where order is the identity or a shuffle that is a function of (seed,
// epoch) alone: any batch can be made without those before it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "locus/text/token_stream.h"

namespace locus {

struct WindowOptions {
  int64_t context = 0;  // L
  int64_t stride = 0;   // tokens from one window to the next; 0: the context, so that no token is left out
  int64_t batch = 1;    // B
  bool shuffle = false;
  uint64_t seed = 0;
  bool keep_last = true;  // a last batch of fewer windows; without it the windows left over are not used
};

struct WindowBatch {
  int64_t rows = 0, context = 0;
  std::vector<int32_t> inputs, targets;  // [rows, L]
  std::vector<int64_t> windows;          // [rows]: which ones they are
};

class Windows {
 public:
  // The stream must hold one window at least.
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
