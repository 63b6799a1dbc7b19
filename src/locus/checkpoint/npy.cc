#include "locus/checkpoint/npy.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"
#include "locus/base/reader.h"
#include "locus/base/trim.h"

namespace locus {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kMostNpyHeader = 1 << 16;  // NumPy itself refuses more than 10,000 bytes
constexpr uint64_t kMostPreamble = 12;

struct NpyHeader {
  std::optional<std::string_view> descr, order, shape;  // as written; the text without its quotes
};

// Parses the header, a Python dictionary with three known keys in any order.
class NpyHeaderParser {
 public:
  NpyHeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyHeader parse() {
    NpyHeader header;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      std::optional<std::string_view>* const field = key == "descr"           ? &header.descr
                                                     : key == "fortran_order" ? &header.order
                                                     : key == "shape"         ? &header.shape
                                                                              : nullptr;
      if (field == nullptr || field->has_value()) refuse();
      *field = value();
      if (!accept(',') && peek() != '}') refuse();
    }
    skip_blanks();
    if (at_ != text_.size()) refuse();
    return header;
  }

 private:
  [[noreturn]] void refuse() const {
    fail({Fault::data, Code::damaged_file},
         "'{}': the header is {}, expected a dictionary with descr, fortran_order and shape", file_,
         quote(text_));
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) refuse();
  }
  // The text from here to `end`, which must exist; continues after it.
  std::string_view up_to(char end) {
    const size_t begin = at_, found = text_.find(end, begin);
    if (found == std::string_view::npos) refuse();
    at_ = found + 1;
    return text_.substr(begin, found - begin);
  }
  std::string_view quoted() {
    const char mark = peek();
    if (mark != '\'' && mark != '"') refuse();
    ++at_;
    return up_to(mark);
  }
  // A text, a tuple, a list (without nested ones; the check of the value refuses it), or a word.
  std::string_view value() {
    const char first = peek();
    if (first == '\'' || first == '"') return quoted();
    const size_t begin = at_;
    if (first == '(' || first == '[') {
      up_to(first == '(' ? ')' : ']');
    } else {
      at_ = std::min(text_.find_first_of(",} \n", at_), text_.size());
    }
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
};

DType dtype_of_descr(std::string_view descr, const std::string& file) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"<f2", DType::f16}, {"<f4", DType::f32}, {"<f8", DType::f64}};
  const auto* const found = std::ranges::find(kTypes, descr, &std::pair<std::string_view, DType>::first);
  require(found != std::end(kTypes), "'{}': the array has the type {}, expected <f2, <f4 or <f8", file,
          quote(descr));
  return found->second;
}

// "(2, 3)", "(2,)" or "()"
Shape shape_of(std::string_view text, const std::string& file) {
  std::vector<int64_t> sizes;
  const auto refuse = [&] {
    fail({Fault::data, Code::damaged_file}, "'{}': the shape is {}, expected at most {} sizes in parentheses",
         file, quote(text), Shape::kMaxRank);
  };
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') refuse();
  for (std::string_view rest = text.substr(1, text.size() - 2); !trim(rest).empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    const std::optional<int64_t> size = parse<int64_t>(trim(rest.substr(0, end)));
    if (!size || *size < 0 || sizes.size() == Shape::kMaxRank) refuse();
    sizes.push_back(*size);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  try {
    return Shape(sizes);
  } catch (const Error& error) {
    throw error.at("'" + file + "'");
  }
}

// The header's text, and the offset of the numbers.
std::pair<std::string, uint64_t> header_text_of(const InputFile& file) {
  const std::string path = file.path().string();
  std::vector<std::byte> bytes(std::min<uint64_t>(file.size(), kMostPreamble + kMostNpyHeader));
  file.read_at(0, bytes);
  Reader reader(bytes, "'" + path + "'");
  const auto text_of = [](std::span<const std::byte> part) {
    return std::string(reinterpret_cast<const char*>(part.data()), part.size());
  };
  const bool is_npy = bytes.size() >= kMagic.size() && text_of(reader.take(kMagic.size(), "magic")) == kMagic;
  require(is_npy, Code::damaged_file, "'{}' is not a .npy file: it does not begin with \\x93NUMPY", path);
  const auto major = reader.number<uint8_t>("version");
  const auto minor = reader.number<uint8_t>("version");
  require(major >= 1 && major <= 3 && minor == 0,
          "'{}': .npy version {}.{} is not supported, expected 1.0, 2.0 or 3.0", path, major, minor);
  const uint64_t length =
      major == 1 ? reader.number<uint16_t>("header length") : reader.number<uint32_t>("header length");
  require(length <= kMostNpyHeader, Code::damaged_file, "'{}': header length is {}, expected at most {}",
          path, length, kMostNpyHeader);
  const std::string text = text_of(reader.take(length, "header"));
  return {text, reader.offset()};
}

}  // namespace

NpyFile::NpyFile(const std::filesystem::path& path) : file_(path) {
  const std::string name = path.string();
  const auto [text, begin] = header_text_of(file_);
  const NpyHeader header = NpyHeaderParser(text, name).parse();
  require(header.descr && header.order && header.shape, Code::damaged_file,
          "'{}': the header is {}, expected descr, fortran_order and shape", name, quote(text));
  dtype_ = dtype_of_descr(*header.descr, name);
  if (*header.order != "False") {
    fail({Fault::data, Code::none, "save it again with numpy.save(file, numpy.ascontiguousarray(array))"},
         "'{}': fortran_order is {}, expected False: rows must be contiguous", name, quote(*header.order));
  }
  shape_ = shape_of(*header.shape, name);
  data_begin_ = begin;
  int64_t expected = 0;
  require(!__builtin_mul_overflow(shape_.numel(), size_of(dtype_), &expected), Code::damaged_file,
          "'{}': shape {} of {} overflows 63 bits", name, shape_, name_of(dtype_));
  if (file_.size() - begin != static_cast<uint64_t>(expected)) {
    fail({Fault::data, Code::damaged_file, "the file may be truncated"},
         "'{}': {} bytes follow the header, expected {} for shape {} of {}", name, file_.size() - begin,
         expected, shape_, name_of(dtype_));
  }
}

void NpyFile::read_part(uint64_t offset, std::span<std::byte> bytes) const {
  file_.read_at(data_begin_ + offset, bytes);
}

std::string npy_header(int64_t rows, int64_t columns) {
  constexpr size_t kPreamble = 10;
  std::string header(kMagic);
  header += std::string_view("\x01\x00", 2);
  header += static_cast<char>(kNpyHeaderBytes - kPreamble);
  header += '\0';
  header += fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  header.append(kNpyHeaderBytes - 1 - header.size(), ' ');
  header += '\n';
  return header;
}

}  // namespace locus
