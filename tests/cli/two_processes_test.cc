// Two processes that write to the same place: the second is an error that names the first, or both write the
// same bytes.
#include <gtest/gtest.h>

#include "locus/base/folder.h"
#include "tests/cli/train_command.h"

namespace locus {
namespace {

using TwoProcesses = TrainCommand;

// This process holds the lock, as another command would.
void expect_in_use(const std::filesystem::path& out, const std::string& arguments) {
  make_folder(out);
  const FolderLock held(out / "lock");
  expect_program_fault(4, arguments,
                       {("'" + out.string() + "'").c_str(), std::to_string(::getpid()).c_str()});
}

TEST_F(TwoProcesses, TrainInOneFolder) {
  make_folder(folder / "out/steps");
  expect_in_use(folder / "out", command());
}

TEST_F(TwoProcesses, CompareInOneFolder) {
  const std::string arguments =
      "compare --schemes none --tasks back --seeds 1 --steps 1 --length 16 --lengths 24 --out " + out();
  expect_fine(arguments);
  expect_in_use(folder / "out", "compare --schemes learned --out " + out());
}

TEST_F(TwoProcesses, EmbedIntoOneFile) {
  put(folder / "lines.txt", "a dog\na cat\n");
  const auto embed = [&](const std::string& name) {
    return fmt::format("embed {}/apply/embed --file {} --out {}", LOCUS_GOLDEN, quoted("lines.txt"),
                       quoted(name));
  };
  expect_fine(embed("one.npy"));
  // The shell starts the first command in the background and waits for it after the second.
  const std::string both =
      embed("two.npy") + " & " LOCUS_PROGRAM " " + embed("two.npy") + " >/dev/null && wait $!";
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(run_program(both).exit_code, 0);
    for (const char* const end : {".npy", ".npy.jsonl"}) {
      EXPECT_EQ(read_file(folder / (std::string("two") + end)),
                read_file(folder / (std::string("one") + end)));
    }
  }
}

}  // namespace
}  // namespace locus
