#include "locus/text/pipeline/sentencepiece_file.h"

#include <bit>
#include <cmath>
#include <unordered_set>

#include "locus/base/quote.h"
#include "locus/base/reader.h"
#include "locus/text/readable.h"

namespace locus {
namespace {

// The fields of one message, in order. A nested message is just bytes, parsed by another Fields object, so
// the file does not control the recursion depth.
class Fields {
 public:
  Fields(std::string_view message, const std::string& where)
      : message_(message), reader_(std::as_bytes(std::span(message)), where), where_(where) {}

  // Reads the next field. Returns false at the end.
  bool next() {
    if (reader_.left() == 0) return false;
    const uint64_t key = varint("a field's number");
    number_ = key >> 3;
    type_ = static_cast<int>(key & 7);
    switch (type_) {
      case 0:
        value_ = varint("a number");
        break;
      case 1:
        value_ = reader_.number<uint64_t>("a number of 8 bytes");
        break;
      case 2: {
        const uint64_t size = varint("the size of a field");
        const uint64_t begin = reader_.offset();
        reader_.take(size, "a field");
        bytes_ = message_.substr(begin, size);
        break;
      }
      case 5:
        value_ = reader_.number<uint32_t>("a number of 4 bytes");
        break;
      default:
        fail({Fault::data, Code::damaged_file}, "{}: field {} has wire type {}, expected 0, 1, 2 or 5",
             where_, number_, type_);
    }
    return true;
  }

  uint64_t number() const { return number_; }
  uint64_t integer() const { return expect(0), value_; }
  bool flag() const { return integer() != 0; }
  float real() const { return expect(5), std::bit_cast<float>(static_cast<uint32_t>(value_)); }
  std::string_view bytes() const { return expect(2), bytes_; }

 private:
  uint64_t varint(const char* what) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = reader_.number<uint8_t>(what);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    fail({Fault::data, Code::damaged_file}, "{}: {} has more than 10 bytes, expected at most 10", where_,
         what);
  }
  void expect(int type) const {
    require(type_ == type, Code::damaged_file, "{}: field {} has wire type {}, expected {}", where_, number_,
            type_, type);
  }

  std::string_view message_;
  Reader reader_;
  std::string where_;
  uint64_t number_ = 0, value_ = 0;
  int type_ = 0;
  std::string_view bytes_;
};

SentencePiece read_piece(std::string_view message, const std::string& where) {
  SentencePiece piece;
  for (Fields field(message, where); field.next();) {
    switch (field.number()) {
      case 1:
        piece.text = field.bytes();
        break;
      case 2:
        piece.score = field.real();
        break;
      case 3:
        piece.type = field.integer();
        break;
      default:
        break;
    }
  }
  require(std::isfinite(piece.score), "{}: the score is {}, expected a finite number", where, piece.score);
  require(piece.type >= SentencePiece::normal && piece.type <= SentencePiece::byte,
          "{}: the type is {}, expected 1 to 6", where, piece.type);
  require(!piece.text.empty() && is_utf8(piece.text),
          "{}: the text is {}, expected UTF-8 of at least one byte", where, quote(piece.text));
  return piece;
}

void read_trainer(std::string_view message, const std::string& where, SentencePieceModel& model) {
  for (Fields field(message, where); field.next();) {
    switch (field.number()) {
      case 3:
        model.kind = field.integer();
        break;
      case 24:
        model.spaces_as_suffix = field.flag();
        break;
      case 35:
        model.byte_fallback = field.flag();
        break;
      default:
        break;
    }
  }
}

void read_normalizer(std::string_view message, const std::string& where, SentencePieceModel& model) {
  for (Fields field(message, where); field.next();) {
    switch (field.number()) {
      case 2:
        model.charsmap = field.bytes();
        break;
      case 3:
        model.blank_first = field.flag();
        break;
      case 4:
        model.joins_blanks = field.flag();
        break;
      case 5:
        model.marks_blanks = field.flag();
        break;
      default:
        break;
    }
  }
}

void check_pieces(SentencePieceModel& model, const std::string& where) {
  require(!model.pieces.empty(), "{}: got no pieces, expected a SentencePiece model", where);
  std::unordered_set<std::string_view> known;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const SentencePiece& piece = model.pieces[i];
    require(known.insert(piece.text).second, "{}: duplicate piece {} ({}), expected each piece once", where,
            i, quote(piece.text));
    if (piece.type == SentencePiece::unknown) model.unknown = static_cast<int32_t>(i);
  }
  require(model.unknown >= 0, "{}: no piece has the type unknown, expected one", where);
}

}  // namespace

SentencePieceModel read_sentencepiece(std::string_view bytes, const std::string& where) {
  SentencePieceModel model;
  for (Fields field(bytes, where); field.next();) {
    switch (field.number()) {
      case 1:
        model.pieces.push_back(
            read_piece(field.bytes(), fmt::format("{}: piece {}", where, model.pieces.size())));
        break;
      case 2:
        read_trainer(field.bytes(), where + ": trainer settings", model);
        break;
      case 3:
        read_normalizer(field.bytes(), where + ": normalizer settings", model);
        break;
      default:
        break;
    }
  }
  check_pieces(model, where);
  return model;
}

}  // namespace locus
