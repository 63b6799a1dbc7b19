#include "locus/base/error.h"

#include "tests/expect_error.h"

namespace locus {
namespace {

TEST(Error, CarriesItsFaultAndItsText) {
  try {
    fail(Fault::io, "cannot open '{}' at line {}", "a.txt", 7);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::io);
    EXPECT_STREQ(error.what(), "cannot open 'a.txt' at line 7");
    return;
  }
  FAIL() << "fail() came back";
}

TEST(Error, RequireThrowsOnlyWhenFalse) {
  EXPECT_NO_THROW(require(true, "never said {}", 1));
  expect_error(Fault::data, {"rank 3, expected 2"}, [] { require(false, "rank {}, expected {}", 3, 2); });
}

// The program exits with these numbers; scripts rely on them.
TEST(Error, FaultsAreTheExitCodes) {
  EXPECT_EQ(static_cast<int>(Fault::bug), 1);
  EXPECT_EQ(static_cast<int>(Fault::usage), 2);
  EXPECT_EQ(static_cast<int>(Fault::data), 3);
  EXPECT_EQ(static_cast<int>(Fault::io), 4);
  EXPECT_EQ(static_cast<int>(Fault::resource), 5);
  EXPECT_EQ(static_cast<int>(Fault::diverged), 6);
  EXPECT_EQ(static_cast<int>(Fault::peer), 7);
}

}  // namespace
}  // namespace locus
