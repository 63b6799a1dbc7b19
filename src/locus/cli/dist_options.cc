#include "locus/cli/dist_options.h"

#include <chrono>
#include <memory>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"
#include "locus/cli/terminal.h"
#include "locus/dist/engine.h"

namespace locus::cli {
namespace {

// "node7:29500", "10.0.0.1:29500" or "[fe80::1]:29500".
void read_master(const std::string& text, dist::IdentityOptions& identity) {
  const size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const bool plain = bracketed || host.find(':') == std::string::npos;
  const auto port = parse<int>(colon == std::string::npos ? "" : text.substr(colon + 1));
  if (!port || !plain || host.empty()) {
    fail(Fault::usage, "--master: got {}, expected HOST:PORT, such as node7:29500 or [fe80::1]:29500",
         quote(text));
  }
  identity.address = host;
  identity.port = *port;
}

std::unique_ptr<dist::Transport> open_ranks(const DistOptions& options) {
  dist::IdentityOptions stated{.rank = options.rank, .size = options.ranks};
  if (!options.master.empty()) read_master(options.master, stated);
  const dist::Identity identity = dist::find_identity(stated, dist::process_environment());
  print_as_rank(identity.rank);
  const dist::Engine engine =
      options.engine.empty() ? dist::engine_for(identity) : dist::engine_of(options.engine);
  return dist::open_transport(engine, identity,
                              {.tcp = {.peer_timeout = std::chrono::seconds(options.peer_timeout)}});
}

}  // namespace

void add_dist_options(Command& command, DistOptions& options) {
  command
      .option("--dist", options.engine,
              "What connects several processes; default: mpi if mpirun started them and the plug-in is "
              "installed, else tcp")
      .one_of({"none", "tcp", "mpi"});
  command.option("--ranks", options.ranks, "Number of processes; mpirun, srun and torchrun set it");
  command.option("--rank", options.rank, "Which of them this one is, from 0; set in the same way");
  command.option("--master", options.master,
                 "Address of rank 0 as HOST:PORT; default: MASTER_ADDR and MASTER_PORT");
  command
      .option("--peer-timeout", options.peer_timeout,
              "With tcp: seconds of silence after which a process is taken for dead")
      .between(1, 86'400)
      .shows_default();
}

void with_ranks(const DistOptions& options, const std::function<void(dist::Transport&)>& work) {
  const auto ranks = open_ranks(options);
  try {
    work(*ranks);
  } catch (const std::exception& error) {
    const auto* const known = dynamic_cast<const Error*>(&error);
    if (known == nullptr || known->fault() != Fault::peer) ranks->abort(error.what());
    throw;
  } catch (...) {
    ranks->abort("stopped");
    throw;
  }
}

}  // namespace locus::cli
