// Every program in examples/ runs and prints what its document says.
#include <gtest/gtest.h>

#include "tests/program.h"

namespace locus {
namespace {

TEST(Examples, OneScheme) {
  const Outcome outcome = run_example("one_scheme");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "8 tokens: [8, 256]\n");
}

}  // namespace
}  // namespace locus
