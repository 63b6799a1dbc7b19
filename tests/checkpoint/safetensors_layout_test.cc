// Inconsistent headers: shapes, types and offsets that contradict each other or the size of the file.
#include <gtest/gtest.h>

#include "tests/checkpoint/safetensors_bytes.h"

namespace locus {
namespace {

std::string two(const std::string& first, const std::string& second) {
  return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
         R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}";
}

TEST(SafetensorsLayout, ProductThatOverflows) {
  expect_refused(file_bytes(one(R"("U8")", "[4294967296, 4294967296]", "[0,0]")),
                 {"tensor 'a'", "[4294967296, 4294967296]", "U8", "2^64"});
  // 2^62 x 32 bits wraps to 0 bytes, which the offsets would match.
  expect_refused(file_bytes(one(R"("F32")", "[4611686018427387904]", "[0,0]")),
                 {"tensor 'a'", "[4611686018427387904]", "F32", "2^64"});
  expect_refused(file_bytes(one(R"("U8")", "[9223372036854775808, 2, 0]", "[0,0]")),
                 {"tensor 'a'", "[9223372036854775808, 2, 0]", "U8", "2^64"});
}

TEST(SafetensorsLayout, BytesOffByOne) {
  expect_refused(file_bytes(one(R"("F32")", "[2]", "[0,7]"), "1234567"),
                 {"tensor 'a'", "[0, 7]", "7 bytes", "8", "[2]", "F32"});
  expect_refused(file_bytes(one(R"("F32")", "[2]", "[0,9]"), "123456789"),
                 {"tensor 'a'", "[0, 9]", "9 bytes", "8", "[2]", "F32"});
  expect_refused(file_bytes(one(R"("F4")", "[3]", "[0,2]"), "12"),
                 {"tensor 'a'", "[3]", "F4", "12 bits", "8"});
}

TEST(SafetensorsLayout, BeginAfterEnd) {
  expect_refused(file_bytes(one(R"("U8")", "[0]", "[4,0]"), "1234"),
                 {"tensor 'a'", "data_offsets", "[4, 0]"});
}

TEST(SafetensorsLayout, Holes) {
  expect_refused(file_bytes(two("[1,5]", "[5,9]"), "123456789"), {"tensor 'a'", "[1, 5]", "hole", "0"});
  expect_refused(file_bytes(two("[0,4]", "[5,9]"), "123456789"), {"tensor 'b'", "[5, 9]", "hole", "4"});
}

TEST(SafetensorsLayout, Overlaps) {
  expect_refused(file_bytes(two("[0,4]", "[3,7]"), "1234567"), {"tensor 'b'", "[3, 7]", "overlap", "4"});
  expect_refused(file_bytes(two("[0,4]", "[0,4]"), "1234"), {"tensor 'b'", "[0, 4]", "overlap", "4"});
}

TEST(SafetensorsLayout, OffsetsPastTheFile) {
  expect_refused(file_bytes(two("[0,4]", "[4,8]"), "1234567"), {"tensor 'b'", "[4, 8]", "7 bytes"});
  // No memory is allocated: the claim of 16 EiB contradicts the size of the file.
  expect_refused(file_bytes(one(R"("U8")", "[18446744073709551615]", "[0,18446744073709551615]"), "1"),
                 {"tensor 'a'", "[0, 18446744073709551615]", "1 bytes"});
}

TEST(SafetensorsLayout, FileOneByteLong) {
  expect_refused(file_bytes(two("[0,4]", "[4,8]"), "123456789"), {"9 bytes", "8"});
  expect_refused(file_bytes("{}", "1"), {"1 bytes", "0"});
}

TEST(SafetensorsLayout, RankTenThousand) {
  std::string shape = "[1";
  for (int i = 1; i < 10'000; ++i) shape += ",1";
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "x";
  put(path, file_bytes(one(R"("U8")", shape + "]", "[0,1]"), "1"));
  const SafetensorsFile file(path);
  EXPECT_EQ(file.entry("a").sizes.size(), 10'000u);
  expect_bad_data({"'" + path.string() + "'", "tensor 'a'", "10000", "6"}, [&] { file.read("a"); });
  expect_refused(file_bytes(one(R"("U8")", shape + "]", "[0,2]"), "12"),
                 {"tensor 'a'", "[0, 2]", "2 bytes", "1",
                  "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...]", "U8"});
}

TEST(SafetensorsLayout, HugeSizesBesideAZero) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "x";
  put(path, file_bytes(one(R"("U8")", "[0, 18446744073709551615]", "[0,0]")));
  expect_bad_data({"'" + path.string() + "'", "tensor 'a'", "18446744073709551615", "2^62"},
                  [&] { SafetensorsFile(path).read("a"); });
  put(path, file_bytes(one(R"("U8")", "[0, 4611686018427387904, 4]", "[0,0]")));
  expect_error(Fault::data, {"tensor 'a'", "4611686018427387904 x 4"},
               [&] { SafetensorsFile(path).read("a"); });
}

TEST(SafetensorsLayout, AnyOrderInTheHeader) {
  const TemporaryFolder folder;
  put(folder / "x", file_bytes(two("[4,8]", "[0,4]"), "bbbbaaaa"));
  const SafetensorsFile file(folder / "x");
  EXPECT_EQ(file.entries()[0].name, "b");
  EXPECT_EQ(file.read("a").values(), std::vector<float>(4, 'a'));
  EXPECT_EQ(file.read("b").values(), std::vector<float>(4, 'b'));
}

TEST(SafetensorsLayout, EmptyTensorsTakeNoBytes) {
  expect_accepted(file_bytes(
      R"({"b":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
      R"("c":{"dtype":"F32","shape":[3,0],"data_offsets":[0,0]},"d":{"dtype":"F32","shape":[0],"data_offsets":[4,4]}})",
      "1234"));
}

}  // namespace
}  // namespace locus
