#include "locus/text/pipeline/pre_tokenizer.h"

namespace locus {
namespace {

struct Piece {
  size_t begin, end;
  bool match;
};

// Matches and what lies between them, one behind the other.
void tile(std::string_view text, size_t shift, const Words& matches, bool inverted,
          std::vector<Piece>& pieces) {
  pieces.clear();
  size_t done = 0;
  for (const auto& [begin, end] : matches) {
    if (begin > done) pieces.push_back({shift + done, shift + begin, inverted});
    pieces.push_back({shift + begin, shift + end, !inverted});
    done = end;
  }
  if (done < text.size()) pieces.push_back({shift + done, shift + text.size(), inverted});
}

void join(const std::vector<Piece>& pieces, Cut cut, Words& words) {
  const size_t first = words.size();  // of these pieces
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (cut == Cut::removed && piece.match) continue;
    const bool after = i > 0, match_before = after && pieces[i - 1].match;
    bool joined = false;
    if (cut == Cut::contiguous) joined = after && match_before == piece.match;
    if (cut == Cut::with_previous) joined = after && piece.match && !match_before;
    // From the back: a match joins what stands behind it, unless that is a match too.
    if (cut == Cut::with_next) joined = match_before && !piece.match;
    if (joined && words.size() > first) {
      words.back().end = piece.end;
    } else {
      words.push_back({piece.begin, piece.end});
    }
  }
}

}  // namespace

void cut_words(const AlignedText& text, const Pattern& pattern, Cut cut, bool inverted, Words& words) {
  Words result, matches;
  std::vector<Piece> pieces;
  for (const auto& [begin, end] : words) {
    const std::string_view word = text.text().substr(begin, end - begin);
    matches.clear();
    pattern.find(word, matches);
    tile(word, begin, matches, inverted, pieces);
    join(pieces, cut, result);
  }
  words = std::move(result);
}

}  // namespace locus
