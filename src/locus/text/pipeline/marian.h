// Marian's vocabulary: source.spm cuts a text into pieces, and vocab.json, which both languages share, has
// their ids. target.spm cuts texts of the other language, which a model learns to write.
#pragma once

#include <memory>

#include "locus/text/pipeline/normalizer.h"
#include "locus/text/pipeline/pipeline.h"
#include "locus/text/pipeline/sentencepiece_file.h"

namespace locus {

// `spm` and `vocabulary` are the files' contents; `spm_where` and `vocabulary_where` begin errors about them.
struct MarianFiles {
  std::string spm, spm_where, vocabulary, vocabulary_where;
};
PipelineParts read_marian(const MarianFiles& files);

std::unique_ptr<Normalizer> sentencepiece_normalizer(const SentencePieceModel& model,
                                                     const std::string& where);

}  // namespace locus
