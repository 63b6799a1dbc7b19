#include "locus/scheme/input_rows.h"

#include "locus/base/error.h"
#include "locus/scheme/scheme.h"

namespace locus {

int64_t InputRows::width_in(const Geometry& geometry, std::string_view scheme) const {
  if (!joined() && width != 0) {
    fail(Fault::usage,
         "scheme {}: option width is {}, expected 0: added position vectors have the width of the model, and "
         "only combine = joined allows another width",
         scheme, width);
  }
  const int64_t rows = geometry.row_width > 0 ? geometry.row_width : geometry.width;
  return width > 0 ? width : rows;
}

}  // namespace locus
