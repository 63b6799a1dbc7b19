#include "locus/dist/identity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tests/expect_error.h"

namespace locus::dist {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment_of(const Variables& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

Identity identity_of(const Variables& variables, const IdentityOptions& options = {}) {
  return find_identity(options, environment_of(variables));
}

void expect_refused(const Variables& variables, std::initializer_list<const char*> values,
                    const IdentityOptions& options = {}) {
  expect_error(Fault::usage, values, [&] { identity_of(variables, options); });
}

const Variables kTorchrun{{"RANK", "5"},
                          {"WORLD_SIZE", "8"},
                          {"LOCAL_RANK", "1"},
                          {"MASTER_ADDR", "node0"},
                          {"MASTER_PORT", "29500"},
                          {"TORCHELASTIC_RUN_ID", "job7"}};

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

TEST(Identity, IsAloneWithoutALauncher) {
  const Identity alone = identity_of({});
  EXPECT_EQ(alone.rank, 0);
  EXPECT_EQ(alone.size, 1);
  EXPECT_FALSE(alone.local_rank);
  EXPECT_EQ(alone.source, "no launcher");
}

TEST(Identity, ComesFromEachLauncher) {
  const Identity torchrun = identity_of(kTorchrun);
  EXPECT_EQ(torchrun.rank, 5);
  EXPECT_EQ(torchrun.size, 8);
  EXPECT_EQ(torchrun.local_rank, 1);
  EXPECT_EQ(torchrun.address, "node0");
  EXPECT_EQ(torchrun.port, 29500);
  EXPECT_EQ(torchrun.job, "job7");

  const Identity open_mpi = identity_of(
      {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}});
  EXPECT_EQ(open_mpi.rank, 2);
  EXPECT_EQ(open_mpi.size, 3);
  EXPECT_EQ(open_mpi.source, "Open MPI");
  EXPECT_EQ(open_mpi.port, 0);

  EXPECT_EQ(identity_of({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}).source, "MPICH");

  const Identity slurm = identity_of(
      {{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_LOCALID", "1"}, {"SLURM_JOB_ID", "77"}});
  EXPECT_EQ(slurm.rank, 3);
  EXPECT_EQ(slurm.local_rank, 1);
  EXPECT_EQ(slurm.job, "77");
}

TEST(Identity, ComesFromOptions) {
  const Identity stated = identity_of({}, {.rank = 1, .size = 2, .local_rank = 1, .address = "a", .port = 9});
  EXPECT_EQ(stated.rank, 1);
  EXPECT_EQ(stated.size, 2);
  EXPECT_EQ(stated.local_rank, 1);
  EXPECT_EQ(stated.address, "a");
  EXPECT_EQ(stated.port, 9);
  EXPECT_EQ(stated.source, "options");
  // They may repeat what the launcher says, and replace its address.
  const Identity both = identity_of(kTorchrun, {.rank = 5, .size = 8, .port = 1234, .job = "mine"});
  EXPECT_EQ(both.local_rank, 1);
  EXPECT_EQ(both.address, "node0");
  EXPECT_EQ(both.port, 1234);
  EXPECT_EQ(both.job, "mine");
}

// A batch script of Slurm has SLURM_PROCID but is not one of several processes. mpirun and torchrun start
// below a Slurm job, whose variables describe another process.
TEST(Identity, IgnoresSlurmBelowAnotherLauncher) {
  EXPECT_EQ(identity_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}).size, 1);
  const Identity inner = identity_of(with(kTorchrun, {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}}));
  EXPECT_EQ(inner.rank, 5);
  EXPECT_EQ(inner.size, 8);
}

// torchrun's agent listens on MASTER_PORT.
TEST(Identity, LeavesThePortOfTorchrunToIt) {
  EXPECT_EQ(identity_of(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}})).port, 29501);
  EXPECT_EQ(identity_of(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "False"}})).port, 29500);
  expect_refused(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}, {"MASTER_PORT", "65535"}}),
                 {"MASTER_PORT", "65535", "65534"});
}

TEST(Identity, RefusesLaunchersThatDiffer) {
  expect_refused(with(kTorchrun, {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}),
                 {"Open MPI", "torchrun", "0", "2", "5", "8"});
  expect_refused(kTorchrun, {"options", "torchrun", "4", "5", "8"}, {.rank = 4, .size = 8});
  EXPECT_EQ(identity_of(with(kTorchrun, {{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}})).source, "MPICH");
}

TEST(Identity, RefusesHalfOfAPair) {
  expect_refused({{"RANK", "5"}}, {"RANK", "5", "WORLD_SIZE"});
  expect_refused({{"OMPI_COMM_WORLD_SIZE", "2"}}, {"OMPI_COMM_WORLD_RANK", "2"});
  expect_refused({{"SLURM_STEP_NUM_TASKS", "2"}}, {"SLURM_PROCID"});
  expect_refused({}, {"rank", "1"}, {.rank = 1});
  expect_refused({}, {"ranks", "4"}, {.size = 4});
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node0"}}, {"MASTER_PORT", "node0"});
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "9"}}, {"MASTER_ADDR", "9"});
}

TEST(Identity, RefusesNumbersOutOfRange) {
  expect_refused({{"RANK", "2"}, {"WORLD_SIZE", "2"}}, {"RANK", "2", "1"});
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "0"}}, {"WORLD_SIZE", "0", "1"});
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "5000"}}, {"WORLD_SIZE", "5000", "4096"});
  expect_refused({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}, {"RANK", "-1"});
  expect_refused({{"RANK", "one"}, {"WORLD_SIZE", "2"}}, {"RANK", "one"});
  expect_refused({{"RANK", "1.0"}, {"WORLD_SIZE", "2"}}, {"RANK", "1.0"});
  expect_refused(with(kTorchrun, {{"LOCAL_RANK", "8"}}), {"LOCAL_RANK", "8", "7"});
  expect_refused(with(kTorchrun, {{"MASTER_PORT", "70000"}}), {"MASTER_PORT", "70000", "65535"});
  expect_refused({}, {"2", "0", "1"}, {.rank = 2, .size = 2});
  expect_refused({}, {"0", "4096"}, {.rank = 0, .size = 0});
  expect_refused({}, {"2", "1"}, {.rank = 0, .size = 2, .local_rank = 2});
  expect_refused({}, {"0", "65535"}, {.rank = 0, .size = 2, .address = "a", .port = 0});
}

// Any text in any variable gives an identity or an error, and the rank is below the size.
RC_GTEST_PROP(Identity, IsValidForAnyVariables, ()) {
  const std::vector<std::string> names{"RANK",       "WORLD_SIZE",   "LOCAL_RANK",           "PMI_RANK",
                                       "PMI_SIZE",   "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "MASTER_ADDR",
                                       "MASTER_PORT"};
  Variables variables;
  for (const std::string& name : names) {
    const auto number = rc::gen::map(rc::gen::inRange(-1, 4), [](int n) { return std::to_string(n); });
    const auto value =
        *rc::gen::oneOf(rc::gen::just(std::string()), number, rc::gen::arbitrary<std::string>());
    if (!value.empty()) variables[name] = value;
  }
  try {
    const Identity identity = identity_of(variables);
    RC_ASSERT(identity.rank >= 0 && identity.rank < identity.size && identity.size <= kMostRanks);
  } catch (const Error& error) {
    RC_ASSERT(error.fault() == Fault::usage);
  }
}

}  // namespace
}  // namespace locus::dist
