#include "locus/dist/mpi.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "locus/base/file.h"
#include "locus/dist/engine.h"
#include "tests/expect_error.h"
#include "tests/program.h"
#include "tests/temporary_folder.h"

namespace locus::dist {
namespace {

Outcome run_shell(const std::string& command) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "out", err = folder / "err";
  const int status =
      std::system(fmt::format("{} >{} 2>{} </dev/null", command, out.string(), err.string()).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

// Open MPI refuses to run as root, or with more processes than cores, unless it is told to.
const std::string kMpirun =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_btl_vader_single_copy_mechanism=none timeout 120 mpirun --bind-to none";
const std::string kExchange = LOCUS_EXCHANGER " mpi ", kPlugin = " --plugin " LOCUS_MPI_PLUGIN;

class MpiSlow : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(LOCUS_MPI_PLUGIN)) {
      GTEST_SKIP() << "no liblocus-mpi.so: it is built where an MPI library is, such as libopenmpi-dev";
    }
    if (run_shell("command -v mpirun").exit_code != 0)
      GTEST_SKIP() << "no mpirun: install openmpi-bin or mpich";
  }
};

TEST_F(MpiSlow, ExchangesMessages) {
  for (const int size : {1, 2, 3, 4}) {
    const Outcome outcome =
        run_shell(fmt::format("{} -n {} {} 3 1000 {}", kMpirun, size, kExchange, kPlugin));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    for (int rank = 0; rank < size; ++rank) {
      expect_values(outcome.out, {fmt::format("rank {} of {}: 3 rounds", rank, size)});
    }
  }
}

TEST_F(MpiSlow, ExchangesLargeAndEmptyMessages) {
  for (const int bytes : {0, 1, 64 << 20}) {
    const Outcome outcome = run_shell(fmt::format("{} -n 2 {} 1 {} {}", kMpirun, kExchange, bytes, kPlugin));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_values(outcome.out, {"rank 0 of 2: 1 rounds", "rank 1 of 2: 1 rounds"});
  }
}

// Without mpirun, MPI starts a job of one process.
TEST_F(MpiSlow, RefusesAnotherRank) {
  const Outcome outcome = run_shell("env RANK=1 WORLD_SIZE=2 " + kExchange + "1 1 " + kPlugin);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  expect_values(outcome.err, {"torchrun", "rank 0 of 1", "rank 1 of 2", "mpirun"});
}

TEST(Mpi, RefusesAPluginThatIsNotOne) {
#ifdef LOCUS_STATIC
  GTEST_SKIP() << "a program that is linked statically cannot open plug-ins";
#endif
  expect_error(Fault::resource, {"/missing/liblocus-mpi.so", "locus-mpi"},
               [] { open_mpi({}, "/missing/liblocus-mpi.so"); });
  expect_error(Fault::resource, {"libm.so.6", "locus_mpi_calls"}, [] { open_mpi({}, "libm.so.6"); });
  expect_error(Fault::resource, {LOCUS_FOREIGN_MPI, "3", "2"}, [] { open_mpi({}, LOCUS_FOREIGN_MPI); });
}

TEST(Engine, HasAName) {
  EXPECT_EQ(engine_of("none"), Engine::none);
  EXPECT_EQ(engine_of("tcp"), Engine::tcp);
  EXPECT_EQ(engine_of("mpi"), Engine::mpi);
  expect_error(Fault::usage, Code::unknown_option, {"tpc", "tcp"}, [] { engine_of("tpc"); });
}

TEST(Engine, FollowsTheLauncher) {
  const TemporaryFolder folder;
  const std::filesystem::path installed = folder / "plugin.so", missing = folder / "missing.so";
  put(installed, "");
  const Identity below_mpirun{.rank = 1, .size = 4, .uses_mpi = true}, below_srun{.rank = 1, .size = 4};
  Identity with_address = below_mpirun;
  with_address.address = "node7";
  EXPECT_EQ(engine_for({}, installed), Engine::none);
  EXPECT_EQ(engine_for({.uses_mpi = true}, installed), Engine::none);
  EXPECT_EQ(engine_for(below_mpirun, installed), Engine::mpi);
  EXPECT_EQ(engine_for(below_mpirun, missing), Engine::mpi) << "the system may find it; else the error helps";
  EXPECT_EQ(engine_for(with_address, installed), Engine::mpi);
  EXPECT_EQ(engine_for(with_address, missing), Engine::tcp);
  EXPECT_EQ(engine_for(below_srun, installed), Engine::tcp);
}

// Several processes without an engine would each train the whole model.
TEST(Engine, NoneIsForOneProcess) {
  EXPECT_EQ(open_transport(Engine::none, {})->size(), 1);
  EXPECT_EQ(open_transport(Engine::tcp, {})->size(), 1);
  expect_error(Fault::usage, {"Slurm", "1", "4"},
               [] { open_transport(Engine::none, {.rank = 1, .size = 4, .source = "Slurm"}); });
}

}  // namespace
}  // namespace locus::dist
