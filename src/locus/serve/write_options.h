// The options of generation in a request. What a request omits comes from the folder.
#pragma once

#include "locus/serve/call.h"

namespace locus::serve {

inline constexpr int64_t kMostBeams = 1024;

// temperature, top_k, top_p, min_p, repetition_penalty, beams, length_penalty, seed and stop. Sampled answers
// without a seed differ from call to call.
WriteOptions read_write_options(const Call& call, Fields& fields);

// The members of OpenAI's completions: the options above, n, stream, and those that are refused or ignored.
struct OpenAiOptions {
  WriteOptions options;
  bool streams = false, shows_usage = false;  // shows_usage: also at the end of a stream
};
OpenAiOptions read_openai_options(const Call& call, Fields& fields);

}  // namespace locus::serve
