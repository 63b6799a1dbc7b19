#include "locus/dist/engine.h"

#include <algorithm>
#include <array>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"

namespace locus::dist {
namespace {

constexpr std::array<std::string_view, 3> kNames{"none", "tcp", "mpi"};  // in the order of Engine

}  // namespace

Engine engine_of(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found != kNames.end()) return static_cast<Engine>(found - kNames.begin());
  fail({Fault::usage, Code::unknown_option, did_you_mean(name, kNames)},
       "no engine for several processes has the name {}, expected none, tcp or mpi", quote(name));
}

Engine engine_for(const Identity& identity, const std::filesystem::path& plugin) {
  if (identity.size == 1) return Engine::none;
  if (!identity.uses_mpi) return Engine::tcp;
  std::error_code error;
  const bool installed = std::filesystem::exists(plugin, error);
  return installed || identity.address.empty() ? Engine::mpi : Engine::tcp;
}

std::unique_ptr<Transport> open_transport(Engine engine, const Identity& identity,
                                          const EngineOptions& options) {
  switch (engine) {
    case Engine::tcp:
      return open_tcp(identity, options.tcp);
    case Engine::mpi:
      return open_mpi(identity, options.mpi_plugin.empty() ? mpi_plugin() : options.mpi_plugin);
    case Engine::none:
      break;
  }
  if (identity.size > 1) {
    fail({Fault::usage, Code::none, "choose the engine tcp or mpi, or start one process"},
         "{} started this process as rank {} of {}, but no engine is chosen: each would do the whole work",
         identity.source, identity.rank, identity.size);
  }
  return open_alone();
}

}  // namespace locus::dist
