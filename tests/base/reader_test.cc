#include "locus/base/reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/expect_error.h"

namespace locus {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(Reader, ReadsLittleEndianNumbersInOrder) {
  const auto bytes = bytes_of({1, 0x34, 0x12, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x80, 0x3f});
  Reader reader(bytes, "here");
  EXPECT_EQ(reader.number<uint8_t>("a"), 1);
  EXPECT_EQ(reader.number<uint16_t>("b"), 0x1234);
  EXPECT_EQ(reader.number<int32_t>("c"), -1);
  EXPECT_EQ(reader.offset(), 7u);
  EXPECT_EQ(reader.left(), 4u);
  EXPECT_EQ(reader.number<float>("d"), 1.0f);
  EXPECT_EQ(reader.left(), 0u);
}

TEST(Reader, NeverReadsPastTheEnd) {
  const auto bytes = bytes_of({1, 2, 3, 4, 5});
  Reader reader(bytes, "m.bin");
  reader.take(2, "magic");
  expect_error(Fault::data, Code::damaged_file, {"m.bin", "the length", "8", "offset 2", "3"},
               [&] { reader.number<uint64_t>("the length"); });
  expect_error(Fault::data, {"m.bin", "body", "18446744073709551615"},
               [&] { reader.take(UINT64_MAX, "body"); });
  EXPECT_EQ(reader.offset(), 2u) << "a refused read moved the reader";
  EXPECT_EQ(reader.take(3, "rest").size(), 3u);
}

TEST(Reader, OfNothing) {
  Reader reader({}, "empty");
  EXPECT_EQ(reader.take(0, "nothing").size(), 0u);
  expect_error(Fault::data, {"empty", "one", "0"}, [&] { reader.number<uint8_t>("one"); });
}

RC_GTEST_PROP(Reader, TakesWhatIsThereOrRefuses,
              (const std::vector<uint8_t>& bytes, const std::vector<uint16_t>& counts)) {
  Reader reader(std::as_bytes(std::span(bytes)), "x");
  size_t offset = 0;
  for (const uint16_t wanted : counts) {
    const size_t count = wanted % 40;
    if (offset + count > bytes.size()) {
      RC_ASSERT_THROWS_AS(reader.take(count, "part"), Error);
    } else {
      const auto part = reader.take(count, "part");
      RC_ASSERT(part.size() == count);
      RC_ASSERT(std::ranges::equal(part, std::as_bytes(std::span(bytes)).subspan(offset, count)));
      offset += count;
    }
    RC_ASSERT(reader.offset() == offset);
  }
}

}  // namespace
}  // namespace locus
