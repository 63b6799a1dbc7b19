// Opens the transport of a job.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "locus/dist/identity.h"
#include "locus/dist/mpi.h"
#include "locus/dist/tcp.h"
#include "locus/dist/transport.h"

namespace locus::dist {

// What moves the messages.
enum class Engine {
  none,  // one process
  tcp,   // built in
  mpi,   // the plug-in liblocus-mpi.so
};

// Fails with Fault::usage and Code::unknown_option if no engine has this name.
Engine engine_of(std::string_view name);

// The engine that suits the launcher: mpi below mpirun, unless the plug-in is not installed and the address
// of rank 0 is known; else tcp. A process that is alone needs none.
Engine engine_for(const Identity& identity, const std::filesystem::path& plugin = mpi_plugin());

struct EngineOptions {
  TcpOptions tcp = {};
  std::filesystem::path mpi_plugin = {};  // empty: the place where it is installed
};

// Fails with Fault::usage for Engine::none if a launcher started several processes: each would do the whole
// work.
std::unique_ptr<Transport> open_transport(Engine engine, const Identity& identity,
                                          const EngineOptions& options = {});

}  // namespace locus::dist
