// safetensors written and read back: values, bytes, names, and files that are not safetensors.
#include "locus/checkpoint/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "locus/base/parallel.h"
#include "locus/base/random.h"
#include "locus/checkpoint/stored_type.h"
#include "tests/checkpoint/safetensors_bytes.h"

namespace locus {
namespace {

std::string raw_bytes(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.view().data),
          static_cast<size_t>(tensor.numel() * size_of(tensor.dtype()))};
}

Tensor with_bytes(Shape shape, DType dtype, const std::function<uint8_t(int64_t)>& byte) {
  Tensor tensor = Tensor::empty(shape, dtype);
  for (int64_t i = 0; i < shape.numel() * size_of(dtype); ++i) tensor.view().data[i] = std::byte{byte(i)};
  return tensor;
}

// The bytes that the safetensors package 0.8.0 writes for the same tensors.
TEST(Safetensors, WritesTheBytesOfTheReferenceWriter) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "x.safetensors";
  std::vector<NamedTensor> tensors = {{"flag", Tensor::full({2}, 1, DType::boolean)},
                                      {"b", Tensor::of({1, 2}, {1.0f, -2.0f})},
                                      {"half", Tensor::full({2}, 1, DType::bf16)},
                                      {"\"quote\"\n\x01\x7fé", Tensor::full({}, 7, DType::i64)},
                                      {"a", Tensor::of({0, 3}, std::initializer_list<float>{})}};
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"\"quote\"\n\u0001)"
      "\x7f"
      R"(é":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[0,3],"data_offsets":[8,8]},)"
      R"("b":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},"half":{"dtype":"BF16","shape":[2],)"
      R"("data_offsets":[16,20]},"flag":{"dtype":"BOOL","shape":[2],"data_offsets":[20,22]}})";
  const std::string data("\x07\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\xc0\x80\x3f\x80\x3f\x01\x01", 22);
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  write_safetensors(path, tensors, {{"format", "pt"}});
  EXPECT_EQ(read_file(path), file_bytes(padded, data));
  std::ranges::reverse(tensors);
  write_safetensors(path, tensors, {{"format", "pt"}});
  EXPECT_EQ(read_file(path), file_bytes(padded, data)) << "the order given must not show";
}

TEST(Safetensors, WritesAnEmptyFile) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x", {});
  EXPECT_EQ(read_file(folder / "x"), file_bytes("{}      "));
  EXPECT_TRUE(SafetensorsFile(folder / "x").entries().empty());
}

TEST(Safetensors, WritesColumnsThatLieApart) {
  const TemporaryFolder folder;
  const Tensor wide = Tensor::of({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
  write_safetensors(folder / "x", {{"a", wide.columns(1, 3)}});
  EXPECT_EQ(SafetensorsFile(folder / "x").read("a").values(), (std::vector<float>{2, 3, 5, 6}));
}

RC_GTEST_PROP(Safetensors, RoundTrip, ()) {
  constexpr std::array kDtypes = {DType::f32, DType::bf16, DType::f16, DType::i32,
                                  DType::i64, DType::f64,  DType::u8,  DType::boolean};
  const auto names = *rc::gen::unique<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127)));
  const auto metadata = *rc::gen::container<std::map<std::string, std::string>>(
      rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127)),
      rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127)));
  std::vector<NamedTensor> tensors;
  for (const std::string& name : names) {
    const auto sizes =
        *rc::gen::resize(4, rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 5)));
    const auto seed = *rc::gen::arbitrary<uint64_t>();
    tensors.emplace_back(name, with_bytes(Shape(sizes), *rc::gen::elementOf(kDtypes), [&](int64_t i) {
                           return static_cast<uint8_t>(Random(seed, 0).block(static_cast<uint64_t>(i))[0]);
                         }));
  }
  const TemporaryFolder folder;
  write_safetensors(folder / "x", tensors, metadata);
  const SafetensorsFile file(folder / "x");
  RC_ASSERT(file.metadata() == metadata);
  RC_ASSERT(file.entries().size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const Tensor read = file.read(name);
    RC_ASSERT(read.shape() == tensor.shape());
    RC_ASSERT(read.dtype() == tensor.dtype());
    RC_ASSERT(raw_bytes(read) == raw_bytes(tensor));
  }
}

TEST(Safetensors, LargeTensorsAreReadInPartsByAllThreads) {
  const TemporaryFolder folder;
  const Tensor large =
      with_bytes({9 << 20}, DType::u8, [](int64_t i) { return static_cast<uint8_t>(i * i >> 5); });
  write_safetensors(folder / "x", {{"a", large}, {"b", Tensor::full({3}, 1)}});
  const SafetensorsFile file(folder / "x");
  const int before = threads();
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    EXPECT_TRUE(raw_bytes(file.read("a")) == raw_bytes(large)) << count << " threads";
  }
  set_threads(before);
}

TEST(Safetensors, NanAndInfinityLoad) {
  const TemporaryFolder folder;
  const float infinity = std::numeric_limits<float>::infinity();
  write_safetensors(folder / "x", {{"a", Tensor::of({3}, {std::nanf(""), infinity, -infinity})}});
  const std::vector<float> values = SafetensorsFile(folder / "x").read("a").values();
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], infinity);
  EXPECT_EQ(values[2], -infinity);
}

TEST(Safetensors, NamesAreNamesAndNothingElse) {
  const TemporaryFolder folder;
  const std::string megabyte(1 << 20, 'n'), with_nul("a\0b", 3);
  std::vector<NamedTensor> tensors;
  for (const std::string& name : {megabyte, with_nul, std::string("../../etc/passwd"), std::string()})
    tensors.emplace_back(name, Tensor::scalar(static_cast<float>(name.size())));
  write_safetensors(folder / "x", tensors);
  const SafetensorsFile file(folder / "x");
  for (const auto& [name, tensor] : tensors)
    EXPECT_EQ(file.read(name).item(), static_cast<float>(name.size()));
  EXPECT_FALSE(file.has("a"));
  // Errors truncate long names and escape unprintable ones.
  const std::string path = "'" + file.path().string() + "'";
  expect_bad_data({path, "'" + std::string(80, 'n') + "'... (1048577 bytes)", "4"},
                  [&] { file.entry(megabyte + "x"); });
  expect_bad_data({path, "'a\\x00b\\x1b'", "4"}, [&] { file.entry(with_nul + "\x1b"); });
}

TEST(Safetensors, BooleanBytesOtherThanZeroAndOne) {
  const TemporaryFolder folder;
  put(folder / "x", file_bytes(one(R"("BOOL")", "[3]", "[0,3]"), std::string("\0\x01\x02", 3)));
  EXPECT_EQ(SafetensorsFile(folder / "x").read("a").values(), (std::vector<float>{0, 1, 1}));
}

TEST(Safetensors, TypesLocusHasNoDtypeFor) {
  for (const std::string type : {"I8", "I16", "U16", "U32", "U64", "C64", "F8_E4M3", "F8_E5M2", "F8_E8M0",
                                 "F8_E4M3FNUZ", "F8_E5M2FNUZ", "F4", "F6_E2M3", "F6_E3M2"}) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "x";
    const int bytes = find_stored_type(type)->bits;  // of eight elements
    put(path,
        file_bytes(one('"' + type + '"', "[8]", fmt::format("[0,{}]", bytes)), std::string(bytes, 'x')));
    const SafetensorsFile file(path);
    expect_bad_data(
        {"'" + path.string() + "'", "tensor 'a'", type, "BOOL, U8, F16, BF16, I32, F32, F64 or I64"},
        [&] { file.read("a"); });
  }
}

TEST(Safetensors, ReadIntoChecksItsDestination) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x", {{"a", Tensor::of({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f})}});
  const SafetensorsFile file(folder / "x");
  const Tensor right = Tensor::zeros({2, 2});
  file.read_into("a", right);
  EXPECT_EQ(right.values(), (std::vector<float>{1, 2, 3, 4}));
  const std::string path = "'" + file.path().string() + "'";
  expect_bad_data(Code::bad_shape, {path, "tensor 'a'", "f32 [2, 2]", "f32 [4]"},
                  [&] { file.read_into("a", Tensor::zeros({4})); });
  expect_bad_data(Code::bad_shape, {path, "tensor 'a'", "f32 [2, 2]", "bf16 [2, 2]"}, [&] {
    file.read_into("a", Tensor::zeros({2, 2}, DType::bf16));
  });
  expect_bad_data(Code::bad_shape, {path, "tensor 'a'", "contiguous"}, [&] {
    file.read_into("a", Tensor::zeros({2, 3}).columns(0, 2));
  });
}

TEST(Safetensors, TruncatedWhileInUse) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "x";
  write_safetensors(path, {{"a", Tensor::zeros({1000})}});
  const SafetensorsFile file(path);
  const uint64_t size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size - 1000);
  expect_bad_data(Code::damaged_file,
                  {"'" + path.string() + "'", fmt::format("{}", size - 1000), fmt::format("{}", size)},
                  [&] { file.read("a"); });
}

TEST(Safetensors, NotARegularFile) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& path : {pipe, pipe.parent_path(), std::filesystem::path("/dev/zero")}) {
    const std::string name = "'" + path.string() + "'";
    expect_error(Fault::io, {name.c_str()}, [&] { SafetensorsFile file(path); });
  }
  const std::string name = "'" + (folder / "absent").string() + "'";
  expect_error(Fault::io, Code::missing_file, {name.c_str()},
               [&] { SafetensorsFile file(folder / "absent"); });
}

TEST(Safetensors, WhatCannotBeWritten) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "x";
  const Tensor number = Tensor::scalar(1);
  const auto expect = [&](Values values, const std::vector<NamedTensor>& tensors,
                          const std::map<std::string, std::string>& metadata = {}) {
    values.push_back("'" + path.string() + "'");
    expect_bad_data(values, [&] { write_safetensors(path, tensors, metadata); });
  };
  expect({"two", "'a'"}, {{"a", number}, {"a", number}});
  expect({"'__metadata__'"}, {{"__metadata__", number}});
  expect({"tensor name", "'\xff'", "UTF-8"}, {{"\xff", number}});
  expect({"metadata key", "'\xff'", "UTF-8"}, {}, {{"\xff", ""}});
  expect({"metadata text", "'\xff'", "UTF-8"}, {}, {{"", "\xff"}});
  expect({"tensor 'a'"}, {{"a", Tensor()}});
  expect({"100000056", "100000000"}, {{std::string(100'000'000, 'n'), number}});
  EXPECT_TRUE(std::filesystem::is_empty(path.parent_path())) << "no unfinished file may remain";
}

}  // namespace
}  // namespace locus
