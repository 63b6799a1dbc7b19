// A plug-in for MPI as another version of Locus would have it.
#include "locus/dist/mpi/calls.h"

extern "C" const LocusMpiCalls* locus_mpi_calls() {
  static const LocusMpiCalls calls{.version = kLocusMpiVersion + 1};
  return &calls;
}
