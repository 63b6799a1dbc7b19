// The loop of the commands that apply a model to texts. It processes the texts in chunks, checks them first,
// and shows its progress. Results are in the order of the texts.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "locus/cli/text_command.h"

namespace locus::cli {

using Write = std::function<void(std::string_view)>;

// Returns the output of each record of a chunk. With ReadOptions::check_only, the output is ignored.
using Work = std::function<std::vector<std::string>(std::span<const Record>, const ReadOptions&)>;

// Calls `work` for every chunk of records, and `write` with its output; by default the output is printed. A
// record that cannot be read is an error that names its place. With --skip-bad it is reported on stderr and
// skipped. Otherwise all texts of files and arguments are checked before the first goes through the model,
// and texts that are too long are one error that counts them.
// `first`: the number of records that an earlier process has done; they are left out.
void each_chunk(const TextRequest& request, Records& records, const Work& work, const Write& write = {},
                int64_t first = 0);

// The same for output that is much larger than its text. `work` returns a function that writes the output of
// record i, in pieces.
using Output = std::function<void(size_t i, const Write& write)>;
using PieceWork = std::function<Output(std::span<const Record>, const ReadOptions&)>;
void each_chunk_in_pieces(const TextRequest& request, Records& records, const PieceWork& work,
                          const Write& write = {}, int64_t first = 0);

}  // namespace locus::cli
