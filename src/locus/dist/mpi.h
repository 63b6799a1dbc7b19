// Messages over MPI: what clusters install for their networks. The MPI library is not linked; the plug-in
// liblocus-mpi.so is opened at run time (mpi/calls.h).
//
// The launcher of MPI watches the ranks, and ends all of them if one ends without having left.
#pragma once

#include <filesystem>
#include <memory>

#include "locus/dist/identity.h"
#include "locus/dist/transport.h"

namespace locus::dist {

// The plug-in beside the program, in ../lib/locus, or where the system looks for libraries.
std::filesystem::path mpi_plugin();

// Fails with Fault::resource if the plug-in or its MPI library cannot be opened, and with Fault::usage if
// MPI's rank and size are not those of the identity. MPI can be started once in a process.
std::unique_ptr<Transport> open_mpi(const Identity& identity,
                                    const std::filesystem::path& plugin = mpi_plugin());

}  // namespace locus::dist
