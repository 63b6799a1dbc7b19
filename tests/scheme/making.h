// Makes a scheme in one line, and reads golden files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "locus/checkpoint/safetensors.h"
#include "locus/scheme/scheme.h"

namespace locus {

inline SafetensorsFile golden(const std::string& name) {
  return SafetensorsFile(std::filesystem::path(LOCUS_GOLDEN) / (name + ".safetensors"));
}

struct Made {
  std::unique_ptr<Parameters> parameters = std::make_unique<Parameters>();
  std::unique_ptr<Scheme> scheme;
};

inline Made make(std::string_view name, const OptionValues& values, const Geometry& geometry,
                 const Random& random = Random(1, 2)) {
  Made made;
  made.scheme = make_scheme(name, geometry, values, Scope(*made.parameters, "position"), random);
  return made;
}

inline Placement of_lengths(const std::vector<int64_t>& lengths, PositionPolicy policy = {}) {
  return Placement::of_lengths(lengths, policy);
}

}  // namespace locus
