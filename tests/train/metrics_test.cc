// The file of a run's measurements, if something else has its name. trainer_test.cc tests its contents.
#include "locus/train/metrics.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

TEST(MetricsLog, AFifoIsRefusedWhetherOrNotItHasAReader) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "metrics.jsonl";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_error(Fault::io, {path.c_str()}, [&] { MetricsLog(path, 0); });
  const Descriptor reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_GE(reader.get(), 0);
  expect_error(Fault::io, {path.c_str()}, [&] { MetricsLog(path, 0); });
}

}  // namespace
}  // namespace locus
