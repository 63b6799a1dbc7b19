// The manifest of a checkpoint: checksums of all its files. It is written last, so a folder with a manifest
// is complete.
//
//   locus checkpoint 1
//   head   1c330fb2d66be179   312 model.safetensors                 the header of the file
//   tensor 44bc2cf5ad770999 16384 model.safetensors layers.0.weight
//   file   d24ec4f1a98c6e5b   901 config.toml                       any other file, whole
//   end    ef46db3751d8e999                                         of all lines above
//
// The columns are kind, checksum (base/checksum.h), size in bytes, and name. Checksums of tensors are
// computed from memory, not from the file, so errors of writing are detected as well.
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
  // Write a file into the folder and record its checksum.
  void add(const std::string& name, std::string_view text);
  void add(const std::string& name, std::vector<TensorSource> tensors);
  void finish();  // writes the manifest

 private:
  void line(std::string_view kind, uint64_t sum, uint64_t bytes, std::string_view rest);
  std::filesystem::path folder_;
  std::string text_;
};

// Throws Code::damaged_file if a file differs from what was saved. The error names the file and the tensor.
void verify_manifest(const std::filesystem::path& folder);

}  // namespace locus
