// Headers whose numbers cannot be true: shapes, types and offsets against each other and against the file.
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
                 "tensor 'a': shape [4294967296, 4294967296] of U8 needs more than 2^64 bits");
  // 2^62 x 32 bits wraps to 0 bytes, which the offsets would match.
  expect_refused(file_bytes(one(R"("F32")", "[4611686018427387904]", "[0,0]")),
                 "tensor 'a': shape [4611686018427387904] of F32 needs more than 2^64 bits");
  expect_refused(file_bytes(one(R"("U8")", "[9223372036854775808, 2, 0]", "[0,0]")),
                 "tensor 'a': shape [9223372036854775808, 2, 0] of U8 needs more than 2^64 bits");
}

TEST(SafetensorsLayout, BytesOffByOne) {
  expect_refused(file_bytes(one(R"("F32")", "[2]", "[0,7]"), "1234567"),
                 "tensor 'a': data_offsets [0, 7] hold 7 bytes, expected 8 for shape [2] of F32");
  expect_refused(file_bytes(one(R"("F32")", "[2]", "[0,9]"), "123456789"),
                 "tensor 'a': data_offsets [0, 9] hold 9 bytes, expected 8 for shape [2] of F32");
  expect_refused(file_bytes(one(R"("F4")", "[3]", "[0,2]"), "12"),
                 "tensor 'a': shape [3] of F4 has 12 bits, expected whole bytes");
}

TEST(SafetensorsLayout, BeginAfterEnd) {
  expect_refused(file_bytes(one(R"("U8")", "[0]", "[4,0]"), "1234"),
                 "tensor 'a': data_offsets [4, 0] end before they begin");
}

TEST(SafetensorsLayout, Holes) {
  expect_refused(file_bytes(two("[1,5]", "[5,9]"), "123456789"),
                 "tensor 'a': data_offsets [1, 5] leave a hole, expected to begin at 0");
  expect_refused(file_bytes(two("[0,4]", "[5,9]"), "123456789"),
                 "tensor 'b': data_offsets [5, 9] leave a hole, expected to begin at 4");
}

TEST(SafetensorsLayout, Overlaps) {
  expect_refused(file_bytes(two("[0,4]", "[3,7]"), "1234567"),
                 "tensor 'b': data_offsets [3, 7] leave an overlap, expected to begin at 4");
  expect_refused(file_bytes(two("[0,4]", "[0,4]"), "1234"),
                 "tensor 'b': data_offsets [0, 4] leave an overlap, expected to begin at 4");
}

TEST(SafetensorsLayout, OffsetsPastTheFile) {
  expect_refused(file_bytes(two("[0,4]", "[4,8]"), "1234567"),
                 "tensor 'b': data_offsets [4, 8] end past the file's 7 bytes of data; is it cut short?");
  // No memory is asked for: the claim of 16 EiB is refused by the file's size.
  expect_refused(file_bytes(one(R"("U8")", "[18446744073709551615]", "[0,18446744073709551615]"), "1"),
                 "tensor 'a': data_offsets [0, 18446744073709551615] end past the file's 1 bytes of data; is "
                 "it cut short?");
}

TEST(SafetensorsLayout, FileOneByteLong) {
  expect_refused(file_bytes(two("[0,4]", "[4,8]"), "123456789"),
                 "9 bytes of data follow the header, expected 8 by data_offsets");
  expect_refused(file_bytes("{}", "1"), "1 bytes of data follow the header, expected 0 by data_offsets");
}

TEST(SafetensorsLayout, RankTenThousand) {
  std::string shape = "[1";
  for (int i = 1; i < 10'000; ++i) shape += ",1";
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "x";
  put(path, file_bytes(one(R"("U8")", shape + "]", "[0,1]"), "1"));
  const SafetensorsFile file(path);
  EXPECT_EQ(file.entry("a").sizes.size(), 10'000u);
  expect_bad_data("'" + path.string() + "': tensor 'a': shape has 10000 sizes, Locus takes at most 6",
                  [&] { file.read("a"); });
  expect_refused(
      file_bytes(one(R"("U8")", shape + "]", "[0,2]"), "12"),
      "tensor 'a': data_offsets [0, 2] hold 2 bytes, expected 1 for shape [1, 1, 1, 1, 1, 1, 1, 1, 1, "
      "1, 1, 1, 1, 1, 1, 1, ...] of U8");
}

TEST(SafetensorsLayout, HugeSizesBesideAZero) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "x";
  put(path, file_bytes(one(R"("U8")", "[0, 18446744073709551615]", "[0,0]")));
  expect_bad_data("'" + path.string() +
                      "': tensor 'a': shape has a size of 18446744073709551615, Locus takes at most 2^62",
                  [&] { SafetensorsFile(path).read("a"); });
  put(path, file_bytes(one(R"("U8")", "[0, 4611686018427387904, 4]", "[0,0]")));
  expect_bad_data(
      "'" + path.string() +
          "': tensor 'a': shape: the product of its sizes: 4611686018427387904 x 4 does not fit in 63 bits",
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
