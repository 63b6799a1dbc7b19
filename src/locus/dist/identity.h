// Which process of a job this one is: what its options and its launcher say.
//
// Four launchers tell each process its rank in the environment:
//
//   launcher           rank                   size                   rank on this machine
//   Open MPI           OMPI_COMM_WORLD_RANK   OMPI_COMM_WORLD_SIZE   OMPI_COMM_WORLD_LOCAL_RANK
//   MPICH (Hydra)      PMI_RANK               PMI_SIZE               MPI_LOCALRANKID
//   Slurm (srun)       SLURM_PROCID           SLURM_STEP_NUM_TASKS   SLURM_LOCALID
//   torchrun, others   RANK                   WORLD_SIZE             LOCAL_RANK
//
// MASTER_ADDR and MASTER_PORT are the address of rank 0, for every launcher.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace locus::dist {

inline constexpr int kMostRanks = 4096;

struct Identity {
  int rank = 0, size = 1;
  std::optional<int> local_rank = {};  // among the processes on this machine, if the launcher tells it
  std::string address = {};            // of rank 0; empty: not known
  int port = 0;                        // of rank 0; 0: not known
  std::string job = {};                // the same for all processes of a job; empty: not known
  std::string source = "no launcher";  // what set rank and size: "options" or the name of a launcher
  bool uses_mpi = false;               // the launcher is that of an MPI library
};

// What the user states. It must agree with the launcher's variables.
struct IdentityOptions {
  std::optional<int> rank = {}, size = {}, local_rank = {};
  std::string address = {};
  std::optional<int> port = {};
  std::string job = {};
};

// The value of an environment variable. Empty values count as not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// The options, then the launcher. Without either, the process is alone: rank 0 of 1.
//
// Errors (Fault::usage): a rank without a size or the reverse, a value that is not a number in its range, and
// two sources that differ. One difference is normal: mpirun and torchrun start their processes below a Slurm
// job, whose variables then describe another process. Slurm's variables count only if no other launcher has
// set its own.
Identity find_identity(const IdentityOptions& options, const Environment& environment);

}  // namespace locus::dist
