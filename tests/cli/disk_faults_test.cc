// Every command that writes files, with a fault at each of its file operations: the error names a path in the
// output folder, the exit code is 4, nothing half-done remains, and the same command then succeeds with the
// right bytes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <map>

#include "locus/base/file.h"
#include "tests/cli/train_command.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int code = 0;
  std::string err;
};

// One thread: a full disk does not depend on threads, and starting them takes longer than the commands.
Ended run_faulty(const std::string& arguments, const std::string& fault) {
  const TemporaryFolder said(in_memory());
  const std::string err = (said / "err").string();
  const std::string command = fmt::format(
      "LOCUS_THREADS=1 LOCUS_FAULT='{}' ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 {} {} >/dev/null 2>'{}'",
      fault, LOCUS_FAULTY, arguments, err);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(err)};
}

using Contents = std::map<std::string, std::string>;

// The files of a folder whose bytes are the same in every run: no times, and no sizes of what holds times.
Contents contents_of(const fs::path& folder) {
  Contents contents;
  if (!fs::exists(folder)) return contents;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const bool timed = name == "metrics.jsonl" || name == "state.toml" || name == "manifest" ||
                       name == "lock" || name == "training.html" || name.starts_with("report") ||
                       name.starts_with("results") || name.starts_with("step_times") ||
                       entry.path().parent_path().filename() == "cells";
    if (entry.is_regular_file() && !entry.is_symlink() && !timed)
      contents[fs::relative(entry.path(), folder)] = read_file(entry.path());
  }
  return contents;
}

struct Case {
  const char* name;
  const char* arguments;  // {golden}, {in}: the input folder, {out}: the output folder
  bool resumes = false;   // keeps what is finished, and ends in the same folder
};

const Case kCases[] = {
    {"EmbedNpy", "embed {golden}/apply/embed --file {in}/lines.txt --out {out}/v.npy"},
    {"EmbedLines", "embed {golden}/apply/embed --file {in}/lines.txt --out {out}/v.jsonl"},
    {"EmbedSafetensors", "embed {golden}/apply/embed --file {in}/lines.txt --out {out}/v.safetensors"},
    {"Stretch", "stretch {golden}/family/gpt2 --length 64 --how interpolate --out {out}/longer"},
    {"Export", "export {in}/run {out}/exported"},
    {"Forward",
     "forward {golden}/family/gpt2 --input {golden}/family/gpt2/inputs.json --out {out}/f.safetensors"},
    {"Learn", "tokenize --learn 260 --file {in}/x.txt --out {out}/words"},
    {"Tokens", "tokenize --tokenizer bytes --file {in}/x.txt --out {out}/x.tokens"},
    {"ShowPage", "show rotary --out {out}/rotary.html"},
    {"ShowSvg", "show rotary --out {out}/rotary.svg"},
    {"InspectPage", "inspect {golden}/family/gpt2 --out {out}/gpt2.html"},
    {"Train", "train {in}/run.toml --set train.steps=4 --set train.save_every=2 --out {out}/run", true},
    {"Compare",
     "compare --schemes none --tasks back --seeds 1 --steps 1 --length 16 --lengths 24 --out {out}/study",
     true},
};

// The commands that resume take seconds with the address sanitizer, which therefore sees every 31st
// operation. The other builds see every one.
#if defined(__SANITIZE_ADDRESS__)
constexpr int kStrideOfLongCommands = 31;
#else
constexpr int kStrideOfLongCommands = 1;
#endif

class DiskFaultsSlow : public TrainCommand, public ::testing::WithParamInterface<Case> {
 protected:
  DiskFaultsSlow() {
    put(folder / "lines.txt", "a dog\na cat\n");
    if (GetParam().name == std::string_view("Export")) {
      expect_fine("train " + (folder / "run.toml").string() + " --set train.steps=2 --out " +
                  (folder / "run").string());
    }
  }
  std::string arguments(const fs::path& out) const {
    return fmt::format(fmt::runtime(GetParam().arguments), fmt::arg("golden", LOCUS_GOLDEN),
                       fmt::arg("in", folder.path().string()), fmt::arg("out", out.string()));
  }
  void expect_no_debris(const fs::path& out) const {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(out)) {
      EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
    }
  }
  // Runs the command with a fault at one operation after the other, until it needs fewer operations.
  void expect_all_survived(const std::string& kind) const {
    const fs::path straight = folder / "straight";
    fs::create_directory(straight);
    ASSERT_EQ(run_faulty(arguments(straight), "").code, 0);
    const Contents expected = contents_of(straight);
    int operation = 1, ended = 4;
    const int stride = GetParam().resumes ? kStrideOfLongCommands : 1;
    for (; ended == 4 && operation < 1000 && !HasFailure(); operation += stride) {
      SCOPED_TRACE(operation);
      const TemporaryFolder out(in_memory());
      const Ended broken = run_faulty(arguments(out.path()), fmt::format("{} {}", kind, operation));
      ended = broken.code;
      if (ended == 0) break;
      EXPECT_EQ(ended, 4) << broken.err;
      EXPECT_TRUE(contains(broken.err, out.path().string())) << broken.err;
      if (!GetParam().resumes) {
        for (const auto& [name, bytes] : contents_of(out.path())) EXPECT_EQ(bytes, expected.at(name)) << name;
      }
      // If only the last sync failed, the output is complete, and some commands refuse to replace it.
      const bool complete = !GetParam().resumes && contents_of(out.path()) == expected;
      if (!complete) {
        EXPECT_EQ(run_faulty(arguments(out.path()), "").code, 0);
      }
      EXPECT_EQ(contents_of(out.path()), expected);
      expect_no_debris(out.path());
    }
    EXPECT_EQ(ended, 0);
    EXPECT_GT(operation, 3);
  }
};

INSTANTIATE_TEST_SUITE_P(In, DiskFaultsSlow, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(DiskFaultsSlow, AFullDiskLeavesNothingHalfDone) { expect_all_survived("fail"); }

TEST_P(DiskFaultsSlow, ABrokenDiskLeavesNothingHalfDone) { expect_all_survived("break"); }

}  // namespace
}  // namespace locus
