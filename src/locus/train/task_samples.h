// The samples of a text task, from the files that it trains or evaluates on.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "locus/run/text_task.h"
#include "locus/text/masking.h"
#include "locus/text/token_stream.h"
#include "locus/train/samples.h"

namespace locus {

// The names of the labels in a file; empty for a head without labels.
std::vector<std::string> label_names(HeadKind head, const std::filesystem::path& file);

// How tokens are masked, for a head that predicts masked tokens.
Masking masking_of(const TextTask& task);

// Windows over a stream, for a task with on_streams().
std::unique_ptr<Samples> window_samples(const TextTask& task, std::shared_ptr<const TokenStream> stream);
// The examples of a file, for all other tasks.
std::vector<Sample> example_samples(const TextTask& task, const std::filesystem::path& file);
// Calls one of the two above, as the task requires.
std::unique_ptr<Samples> samples_of(const TextTask& task, const std::filesystem::path& file);

}  // namespace locus
