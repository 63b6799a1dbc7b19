// The tokenizer of Marian models. source.spm splits a text into pieces, and vocab.json, shared by both
// languages, has their ids. target.spm splits texts of the target language, which the model learns to
// generate.
#pragma once

#include <memory>

#include "locus/text/pipeline/normalizer.h"
#include "locus/text/pipeline/pipeline.h"
#include "locus/text/pipeline/sentencepiece_file.h"

namespace locus {

// `spm` and `vocabulary` are contents of files; `spm_where` and `vocabulary_where` begin errors about them.
struct MarianFiles {
  std::string spm, spm_where, vocabulary, vocabulary_where;
};
PipelineParts read_marian(const MarianFiles& files);

std::unique_ptr<Normalizer> sentencepiece_normalizer(const SentencePieceModel& model,
                                                     const std::string& where);

}  // namespace locus
