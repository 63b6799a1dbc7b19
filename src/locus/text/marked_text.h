// A text that remembers which of its bytes a user wrote. Names of special tokens are recognized only outside
// of them, so a user cannot write the tokens that end a message or begin another one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/text/encoding.h"

namespace locus {

enum class Origin { model, user };

class MarkedText {
 public:
  MarkedText() = default;
  explicit MarkedText(std::string bytes, Origin origin = Origin::model);

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  // The ranges of bytes that a user wrote, in order, with other bytes between them.
  std::span<const TextSpan> user() const { return user_; }
  bool touches_user(size_t begin, size_t end) const;  // whether a user wrote any byte of [begin, end)
  Origin origin(size_t byte) const { return touches_user(byte, byte + 1) ? Origin::user : Origin::model; }

  void append(std::string_view bytes, Origin origin);
  void append(const MarkedText& more);
  MarkedText slice(size_t begin, size_t end) const;
  // Calls f(bytes, origin) for the longest parts of one origin, in order.
  template <class F>
  void each_part(F&& f) const {
    const std::string_view all = bytes_;
    size_t done = 0;
    for (const TextSpan& range : user_) {
      if (range.begin > done) f(all.substr(done, range.begin - done), Origin::model);
      f(all.substr(range.begin, range.end - range.begin), Origin::user);
      done = range.end;
    }
    if (done < all.size()) f(all.substr(done), Origin::model);
  }
  bool operator==(const MarkedText&) const = default;

 private:
  void mark(size_t begin, size_t end);

  std::string bytes_;
  std::vector<TextSpan> user_;
};

// Whether one of the ranges, which are in order and disjoint, has a byte of [begin, end).
bool touches(std::span<const TextSpan> ranges, size_t begin, size_t end);

}  // namespace locus
