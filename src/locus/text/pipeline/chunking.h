// Splits a raw text into chunks that have the same tokens one by one as together. Chunks repeat often, and a
// cache of their tokens replaces all steps of the pipeline.
#pragma once

#include <cstddef>
#include <string_view>

namespace locus {

// Where a text may be split before a normalization step. Each value allows all split points of the values
// before it.
enum class SplitPoints {
  none,
  at_spaces,     // before a space that follows no space, if no grapheme spans this place
  before_ascii,  // before any ASCII character, if no grapheme spans this place
  anywhere,
};

// How a pre-tokenizer splits a text into chunks, and the split points that this requires.
struct Chunking {
  // The end of the chunk that begins at `begin`. Null: texts are not split.
  size_t (*end)(std::string_view text, size_t begin) = nullptr;
  SplitPoints needs = SplitPoints::anywhere;
};

// A chunk is spaces and the text after them up to the next space.
size_t space_chunk_end(std::string_view text, size_t begin);
// A chunk is one of: a run of letters, digits and non-ASCII characters, with one space before it; an ASCII
// punctuation mark with the non-ASCII characters after it; or spaces.
size_t punctuation_chunk_end(std::string_view text, size_t begin);

}  // namespace locus
