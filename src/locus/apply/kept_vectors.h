// The vectors of a long job, kept in blocks until all are there: a job that was interrupted continues after
// the last one. They are in a folder beside the output, vectors.npy.blocks:
//   job.txt       identifies what the vectors depend on
//   lock          held by the process that writes
//   0.block, ...  the blocks in their order
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "locus/base/folder.h"

namespace locus {

class KeptVectors {
 public:
  // The blocks for an output. Blocks of another job are removed.
  KeptVectors(const std::filesystem::path& output, const std::string& job);
  // Whether there are blocks for an output.
  static bool are_there(const std::filesystem::path& output);

  struct Block {
    int64_t records = 0;             // of the input that the block ends after
    std::vector<float> rows;         // one after the other
    std::vector<std::string> texts;  // one per row
  };
  // The next kept block. Nothing after the last one, or if it is damaged: then it is computed again.
  std::optional<Block> next();
  // Keeps a block after those that next() has returned.
  void add(const Block& block);
  // Removes the folder, when the output is complete.
  void remove();

 private:
  std::filesystem::path block_file(int64_t block) const;

  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;
  int64_t blocks_ = 0;
};

}  // namespace locus
