// The weights of a model folder: one model.safetensors, or shards named by model.safetensors.index.json.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "locus/checkpoint/safetensors.h"

namespace locus {

class WeightFiles {
 public:
  // Opens and checks every file. What an index says and what the shards hold must agree; all that does not is
  // in one error. Shards have plain names and lie in the folder; the hub's cache, where a folder holds links
  // to the blobs beside it, counts as such.
  explicit WeightFiles(const std::filesystem::path& folder);

  const std::vector<SafetensorsFile>& files() const { return files_; }
  const SafetensorsFile* find(std::string_view tensor) const;      // the file that has it; nullptr: none
  bool same(std::string_view left, std::string_view right) const;  // two tensors, byte by byte
  double numbers() const;                                          // how many all tensors have together

 private:
  void open_shards(const std::filesystem::path& index);

  std::filesystem::path folder_;
  std::vector<SafetensorsFile> files_;
  std::map<std::string, size_t, std::less<>> where_;
};

}  // namespace locus
