#include "locus/base/version.h"

namespace locus {

std::string_view version() { return LOCUS_VERSION; }

}  // namespace locus
