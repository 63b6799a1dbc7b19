// Changes a file of a checkpoint and updates the manifest, as an attacker could.
#pragma once

#include <filesystem>
#include <string>

#include "locus/base/paths.h"
#include "locus/run/manifest.h"

namespace locus {

inline void change_checkpoint(const std::filesystem::path& folder, const std::string& name,
                              const std::string& text) {
  write_file(folder / name, text);
  ManifestWriter writer(folder);
  for (const std::filesystem::path& entry : entries_of(folder)) {
    const std::string file = entry.filename();
    if (file == kManifestName) continue;
    if (entry.extension() != ".safetensors") {
      writer.add(file, read_file(entry));
      continue;
    }
    const SafetensorsFile saved(entry);
    std::vector<NamedTensor> tensors;
    for (const TensorEntry& one : saved.entries()) tensors.emplace_back(one.name, saved.read(one.name));
    writer.add(file, sources_of(tensors));
  }
  writer.finish();
}

}  // namespace locus
