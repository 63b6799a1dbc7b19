#include "locus/dist/identity.h"

#include <array>
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"

namespace locus::dist {
namespace {

constexpr int kMostPort = 65535;

// The variables of a launcher. `job` names the job, and may be missing.
struct Launcher {
  const char* name;
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* job;
  bool is_mpi = false;
};
constexpr std::array<Launcher, 3> kLaunchers{{
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "PMIX_NAMESPACE", true},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "PMI_JOBID", true},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID"},
}};
constexpr Launcher kSlurm{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_JOB_ID"};

int number_of(const std::string& name, const std::string& text, int least, int most) {
  const std::optional<int> number = parse<int>(text);
  if (!number || *number < least || *number > most) {
    fail(Fault::usage, "{} is {}, expected a whole number from {} to {}", name, quote(text), least, most);
  }
  return *number;
}

void check_rank(const std::string& name, int rank, int size) {
  if (rank < 0 || rank >= size) {
    fail({Fault::usage, Code::none, "ranks count from 0"}, "{} is {}, expected 0 to {} for {} processes",
         name, rank, size - 1, size);
  }
}

std::optional<Identity> from_launcher(const Launcher& launcher, const Environment& environment) {
  const auto rank = environment(launcher.rank), size = environment(launcher.size);
  if (!rank && !size) return std::nullopt;
  if (!rank || !size) {
    const bool has_rank = rank.has_value();
    fail({Fault::usage, Code::none, "unset it, or start the processes with a launcher that sets both"},
         "{} is set to {}, but {} is not set, expected both or neither",
         has_rank ? launcher.rank : launcher.size, quote(has_rank ? *rank : *size),
         has_rank ? launcher.size : launcher.rank);
  }
  Identity identity{.size = number_of(launcher.size, *size, 1, kMostRanks),
                    .source = launcher.name,
                    .uses_mpi = launcher.is_mpi};
  identity.rank = number_of(launcher.rank, *rank, 0, kMostRanks - 1);
  check_rank(launcher.rank, identity.rank, identity.size);
  if (const auto local = environment(launcher.local_rank)) {
    identity.local_rank = number_of(launcher.local_rank, *local, 0, identity.size - 1);
  }
  identity.job = environment(launcher.job).value_or("");
  return identity;
}

void require_agreement(const Identity& first, const Identity& second) {
  if (first.rank == second.rank && first.size == second.size) return;
  fail({Fault::usage, Code::none,
        "start the processes with one launcher, and unset the variables of the other"},
       "{} and {} differ: rank {} of {}, and rank {} of {}; expected the same rank and size", first.source,
       second.source, first.rank, first.size, second.rank, second.size);
}

std::optional<Identity> from_launchers(const Environment& environment) {
  std::optional<Identity> found;
  for (const Launcher& launcher : kLaunchers) {
    const std::optional<Identity> next = from_launcher(launcher, environment);
    if (found && next) require_agreement(*found, *next);
    if (!found) found = next;
  }
  // Only srun sets the size. A batch script has SLURM_PROCID as well, but is not one of several processes.
  if (!found && environment(kSlurm.size)) found = from_launcher(kSlurm, environment);
  return found;
}

std::optional<Identity> from_options(const IdentityOptions& options) {
  if (!options.rank && !options.size) return std::nullopt;
  if (!options.rank || !options.size) {
    const bool has_rank = options.rank.has_value();
    fail(Fault::usage, "the {} is {}, but the {} is not given, expected both or neither",
         has_rank ? "rank" : "number of ranks", has_rank ? *options.rank : *options.size,
         has_rank ? "number of ranks" : "rank");
  }
  if (*options.size < 1 || *options.size > kMostRanks) {
    fail(Fault::usage, "the number of ranks is {}, expected 1 to {}", *options.size, kMostRanks);
  }
  check_rank("the rank", *options.rank, *options.size);
  return Identity{.rank = *options.rank, .size = *options.size, .source = "options"};
}

// torchrun keeps MASTER_PORT for itself when its agent has a store. The next port is then that of rank 0.
int port_offset(const Environment& environment) {
  return environment("TORCHELASTIC_USE_AGENT_STORE").value_or("") == "True" ? 1 : 0;
}

void find_address(Identity& identity, const IdentityOptions& options, const Environment& environment) {
  const auto host = environment("MASTER_ADDR"), port = environment("MASTER_PORT");
  identity.address = options.address.empty() ? host.value_or("") : options.address;
  if (options.port) {
    if (*options.port < 1 || *options.port > kMostPort) {
      fail(Fault::usage, "the port of rank 0 is {}, expected 1 to {}", *options.port, kMostPort);
    }
    identity.port = *options.port;
  } else if (port) {
    const int offset = port_offset(environment);
    identity.port = number_of("MASTER_PORT", *port, 1, kMostPort - offset) + offset;
  }
  if (identity.size > 1 && identity.address.empty() != (identity.port == 0)) {
    fail({Fault::usage, Code::none, "set MASTER_ADDR and MASTER_PORT, the same for all processes"},
         "the address of rank 0 is incomplete: got host {} and port {}, expected both or neither",
         quote(identity.address), identity.port);
  }
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
}

Identity find_identity(const IdentityOptions& options, const Environment& environment) {
  const std::optional<Identity> stated = from_options(options), launched = from_launchers(environment);
  if (stated && launched) require_agreement(*stated, *launched);
  Identity identity = launched.value_or(stated.value_or(Identity{}));
  if (stated) identity.source = stated->source;
  if (options.local_rank) {
    check_rank("the local rank", *options.local_rank, identity.size);
    identity.local_rank = *options.local_rank;
  }
  if (!options.job.empty()) identity.job = options.job;
  find_address(identity, options, environment);
  return identity;
}

}  // namespace locus::dist
