#include "locus/scheme/input_rows.h"

#include "locus/base/error.h"

namespace locus {

InputRows read_input_rows(std::string_view scheme, const Geometry& geometry, const Options& options) {
  const bool joined = options.choice("combine") == "joined";
  const int64_t own = options.integer("width");
  if (!joined && own != 0) {
    fail(Fault::usage,
         "scheme {}: option width is {}, expected 0: added position vectors have the width of the model, and "
         "only combine = joined allows another width",
         scheme, own);
  }
  const int64_t rows = geometry.row_width > 0 ? geometry.row_width : geometry.width;
  return {joined, own > 0 ? own : rows};
}

}  // namespace locus
