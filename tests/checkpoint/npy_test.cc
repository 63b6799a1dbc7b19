// .npy files: values and sizes as NumPy wrote them, and files that are damaged or hold something else.
#include "locus/checkpoint/npy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

constexpr const char* kHeader = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

// A file as NumPy writes it: version 1 has a u16 header length, the later ones u32.
std::string npy_bytes(const std::string& header, const std::string& data, char version = 1) {
  std::string length(version == 1 ? 2 : 4, '\0');
  for (size_t i = 0; i < length.size(); ++i) length[i] = static_cast<char>(header.size() >> (8 * i));
  return "\x93NUMPY" + std::string{version, '\0'} + length + header + data;
}

std::string bytes_of(std::vector<float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

class Npy : public ::testing::Test {
 protected:
  static std::string golden(const std::string& name) { return LOCUS_GOLDEN "/npy/" + name + ".npy"; }
  NpyFile opened(const std::string& bytes) const {
    put(folder / "x.npy", bytes);
    return NpyFile(folder / "x.npy");
  }
  void expect_refused(const std::string& bytes, Code code, std::initializer_list<const char*> values) const {
    put(folder / "x.npy", bytes);
    expect_error(Fault::data, code, values, [&] { NpyFile(folder / "x.npy"); });
  }
  const TemporaryFolder folder{in_memory()};
};

TEST_F(Npy, ReadsEveryVersionOfTheFormat) {
  for (const char version : {'\1', '\2', '\3'}) {
    const NpyFile file = opened(npy_bytes(kHeader, bytes_of({1, 2, 3, 4, 5, 6}), version));
    EXPECT_EQ(file.shape(), Shape({2, 3}));
    EXPECT_EQ(file.dtype(), DType::f32);
    float last[2] = {};
    file.read_part(16, std::as_writable_bytes(std::span(last)));
    EXPECT_EQ(last[0], 5);
    EXPECT_EQ(last[1], 6);
  }
}

// tools/golden/npy.py
TEST_F(Npy, ReadsTheFilesOfNumpy) {
  for (const auto& [name, dtype] :
       {std::pair{"f2", DType::f16}, {"f4", DType::f32}, {"f8", DType::f64}, {"version2", DType::f32}}) {
    const NpyFile file(golden(name));
    EXPECT_EQ(file.shape(), Shape({3, 4})) << name;
    EXPECT_EQ(file.dtype(), dtype) << name;
  }
  expect_error(Fault::data, {"fortran_order"}, [&] { NpyFile(golden("fortran")); });
  expect_error(Fault::data, {"'<i4'", "<f4"}, [&] { NpyFile(golden("integers")); });
}

TEST_F(Npy, ReadsHeadersOfOtherWriters) {
  const std::string data = bytes_of({1, 2, 3, 4, 5, 6});
  for (const char* header : {"{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}",
                             " { 'fortran_order' : False , 'descr' : '<f4', 'shape' : ( 2 , 3 , ) } \n"}) {
    EXPECT_EQ(opened(npy_bytes(header, data)).shape(), Shape({2, 3})) << header;
  }
  EXPECT_EQ(
      opened(npy_bytes("{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }", "12345678")).dtype(),
      DType::f16);
  EXPECT_EQ(opened(npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "12345678")).shape(),
            Shape());
  EXPECT_EQ(opened(npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7), }", "")).shape(),
            Shape({0, 7}));
}

TEST_F(Npy, WritesTheHeaderOfNumpy) {
  const std::string header = npy_header(2, 3);
  EXPECT_EQ(header.size(), kNpyHeaderBytes);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(header.substr(10, 59), kHeader);
  EXPECT_EQ(header.back(), '\n');
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(npy_header(kMost, kMost).size(), kNpyHeaderBytes);
  EXPECT_EQ(opened(header + bytes_of({1, 2, 3, 4, 5, 6})).shape(), Shape({2, 3}));
}

TEST_F(Npy, RefusesWhatIsNotNpy) {
  for (const std::string bytes : {"", "\x93NUM", "PK\3\4 an .npz archive", "{\"text\": \"x\"}"}) {
    expect_refused(bytes, Code::damaged_file, {"x.npy"});
  }
  expect_refused(npy_bytes(kHeader, "", 4), Code::none, {"4.0", "1.0"});
  expect_error(Fault::io, Code::missing_file, {"none.npy"}, [&] { NpyFile(folder / "none.npy"); });
}

TEST_F(Npy, RefusesATruncatedFile) {
  const std::string whole = npy_bytes(kHeader, bytes_of({1, 2, 3, 4, 5, 6}));
  for (size_t size = 0; size < whole.size(); ++size) {
    expect_refused(whole.substr(0, size), Code::damaged_file, {"x.npy"});
  }
  expect_refused(whole.substr(0, whole.size() - 1), Code::damaged_file, {"23", "24", "[2, 3]"});
}

TEST_F(Npy, RefusesBytesAfterTheNumbers) {
  expect_refused(npy_bytes(kHeader, bytes_of({1, 2, 3, 4, 5, 6, 7})), Code::damaged_file, {"28", "24"});
}

TEST_F(Npy, RefusesAHeaderLengthPastTheEnd) {
  std::string bytes = npy_bytes(kHeader, "");
  bytes[8] = bytes[9] = '\xff';
  expect_refused(bytes, Code::damaged_file, {"header", "65535"});
  std::string huge = npy_bytes(kHeader, "", 2);
  huge[11] = '\x7f';
  expect_refused(huge, Code::damaged_file, {"header length", "65536"});
}

TEST_F(Npy, RefusesAShapeThatOverflows) {
  const auto with_shape = [](const std::string& shape) {
    return npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }", "");
  };
  for (const char* shape : {"(4611686018427387904, 4)", "(9223372036854775807, 9223372036854775807)",
                            "(2305843009213693952, 1)"}) {
    put(folder / "x.npy", with_shape(shape));
    expect_error(Fault::data, {"x.npy"}, [&] { NpyFile(folder / "x.npy"); });
  }
  for (const char* shape :
       {"(-1, 3)", "(2, 3", "2", "(2, x)", "(99999999999999999999,)", "(1,1,1,1,1,1,1)"}) {
    expect_refused(with_shape(shape), Code::damaged_file, {"x.npy"});
  }
}

TEST_F(Npy, RefusesOtherTypes) {
  for (const char* type : {"'<i4'", "'>f4'", "'|O'", "'|b1'", "'<f16'", "[('a', '<f4')]"}) {
    expect_refused(
        npy_bytes(fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': (), }}", type), "1234"),
        Code::none, {"<f4"});
  }
}

TEST_F(Npy, RefusesFortranOrder) {
  expect_refused(
      npy_bytes("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", std::string(24, '\0')),
      Code::none, {"fortran_order", "'True'", "ascontiguousarray"});
}

TEST_F(Npy, RefusesABadDictionary) {
  for (const char* header :
       {"", "{", "}", "{'descr'", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}", "{descr: '<f4'}", "{'descr': '<f4}"}) {
    expect_refused(npy_bytes(header, bytes_of({1, 2, 3, 4, 5, 6})), Code::damaged_file, {"x.npy"});
  }
}

// Any header is an error, or its shape and type match the bytes that follow.
RC_GTEST_FIXTURE_PROP(Npy, AnyHeaderIsAnErrorOrTrue, ()) {
  std::string header = kHeader;
  const auto changes = *rc::gen::inRange(0, 4);
  for (int i = 0; i < changes; ++i) {
    const auto at = static_cast<size_t>(*rc::gen::inRange(0, static_cast<int>(header.size())));
    header[at] = *rc::gen::elementOf(std::string("{}()[]'\":, 0129fF<>\n\xff"));
  }
  put(folder / "x.npy", npy_bytes(header, std::string(24, 'x')));
  try {
    const NpyFile file(folder / "x.npy");
    RC_ASSERT(file.shape().numel() * size_of(file.dtype()) == 24);
  } catch (const Error&) {
    RC_SUCCEED("refused");
  }
}

}  // namespace
}  // namespace locus
