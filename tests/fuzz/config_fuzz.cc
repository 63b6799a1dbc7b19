// Any bytes as a config.json: throws an Error, or describes an architecture whose blueprint can be built.
// Seeds: config.json
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "locus/base/error.h"
#include "locus/checkpoint/family.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const locus::Config config({reinterpret_cast<const char*>(data), size}, "config.json");
    if (!locus::problems(locus::read_architecture(config).blueprint).empty()) std::abort();
  } catch (const locus::Error&) {
  }
  return 0;
}
