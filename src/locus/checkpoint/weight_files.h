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
  // Opens and checks every file. The index and the shards must agree; all differences are reported in one
  // error. Shards must be plain file names inside the folder. Links from a snapshot in the Hugging Face cache
  // to its blobs are allowed.
  explicit WeightFiles(const std::filesystem::path& folder);

  const std::vector<SafetensorsFile>& files() const { return files_; }
  const SafetensorsFile* find(std::string_view tensor) const;      // the file that contains it, or nullptr
  bool same(std::string_view left, std::string_view right) const;  // compares two tensors byte by byte
  double numbers() const;                                          // elements of all tensors together

 private:
  void open_shards(const std::filesystem::path& index);

  std::filesystem::path folder_;
  std::vector<SafetensorsFile> files_;
  std::map<std::string, size_t, std::less<>> where_;
};

}  // namespace locus
