// The job script of docs/cluster.md, with programs in place of those of Slurm: a job that is stopped before
// its time is over puts itself into the queue again, and ends with the bytes of one process.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/cli/train_command.h"
#include "tests/dist/ranks.h"
#include "tests/train/run_result.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// The block of the page that starts with this line.
std::string block_of(const std::string& page, const std::string& first) {
  std::istringstream lines(read_file(fs::path(LOCUS_GOLDEN) / "../.." / page));
  std::string line, block;
  while (std::getline(lines, line) && line != first) {
  }
  for (block = line + "\n"; std::getline(lines, line) && line != "```";) block += line + "\n";
  return block;
}

class ClusterBookSlow : public TrainCommand {
 protected:
  void put_program(const std::string& name, const std::string& text) const {
    put(folder / name, "#!/bin/sh\n" + text);
    fs::permissions(folder / name, fs::perms::owner_all);
  }
  // The exit code of the script, in the folder of the test.
  int run_job(int port) const {
    const std::string command = fmt::format(
        "cd {} && PATH=$PWD:$PATH SLURM_CPUS_PER_TASK=1 SLURM_JOB_NODELIST=node SLURM_JOB_ID={} bash job.sh "
        ">job.log 2>&1",
        folder.path().string(), port - 20'000);
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(ClusterBookSlow, TheSlurmJobResumes) {
  put(folder / "job.sh", block_of("docs/cluster.md", "#!/bin/bash"));
  put_program("locus", "exec " LOCUS_PROGRAM " \"$@\"\n");
  put_program("scontrol", "if [ $1 = requeue ]; then echo $2 >requeued; else echo 127.0.0.1; fi\n");
  // Stops the second of three processes in the first job, as Slurm stops all of them.
  put_program("srun", R"(
while [ "$1" != locus ]; do shift; done
for rank in 0 1 2; do
  SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=3 "$@" 2>>job.log &
  eval p$rank=$!
done
if [ ! -e requeued ]; then
  until grep -q validation job.log; do sleep 0.05; done
  kill -TERM $p1
fi
worst=0
for p in $p0 $p1 $p2; do
  wait $p || { code=$?; [ $code -gt $worst ] && worst=$code; }
done
exit $worst
)");
  std::ofstream(folder / "run.toml", std::ios::app) << "shards = 4\nsteps = 300\n";
  std::string config = read_file(folder / "run.toml");
  config.replace(config.find("steps = 60\n"), 11, "");
  put(folder / "run.toml", config);
  const int port = 20'000 + dist::free_port() % 10'000;
  EXPECT_EQ(run_job(port), 0) << read_file(folder / "job.log");
  EXPECT_TRUE(fs::exists(folder / "requeued")) << read_file(folder / "job.log");
  EXPECT_EQ(run_job(port), 0) << read_file(folder / "job.log");
  expect_fine(command());
  EXPECT_TRUE(result_of(folder / "runs/big") == result_of(folder / "out"));
}

}  // namespace
}  // namespace locus
