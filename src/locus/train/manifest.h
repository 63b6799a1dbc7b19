// The manifest of a checkpoint: what its files must look like, down to the last bit. Written last, so a
// folder that has one is complete.
//
//   locus checkpoint 1
//   head   1c330fb2d66be179   312 model.safetensors                 the bytes before the tensors
//   tensor 44bc2cf5ad770999 16384 model.safetensors layers.0.weight
//   file   d24ec4f1a98c6e5b   901 config.toml                       of any other file, all of it
//   end    ef46db3751d8e999                                         all lines above
//
// Numbers are checksums (base/checksum.h) and sizes in bytes. Tensors are summed up from memory, not from
// what was written: what goes wrong between the two is found as well.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "locus/checkpoint/safetensors.h"

namespace locus {

inline constexpr const char* kManifestName = "manifest";

class ManifestWriter {
 public:
  explicit ManifestWriter(std::filesystem::path folder);
  // Write a file into the folder and note what it must look like.
  void add(const std::string& name, std::string_view text);
  void add(const std::string& name, const std::vector<NamedTensor>& tensors);
  void finish();  // writes the manifest

 private:
  void line(std::string_view kind, uint64_t sum, uint64_t bytes, std::string_view rest);
  std::filesystem::path folder_;
  std::string text_;
};

// Refuses a folder in which a single bit of what was saved differs; the error names the file, and the tensor.
void verify_manifest(const std::filesystem::path& folder);

}  // namespace locus
