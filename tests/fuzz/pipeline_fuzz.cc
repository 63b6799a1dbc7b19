// Any bytes as a tokenizer.json: throws an Error, or encodes its own text.
// Seeds: tokenizer.json
#include "locus/base/error.h"
#include "locus/text/pipeline/pipeline.h"
#include "tests/fuzz/encoded.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    check_encoding(locus::Pipeline(locus::read_pipeline(std::string(bytes), "fuzz")), bytes);
  } catch (const locus::Error&) {
  }
  return 0;
}
