#include "locus/text/pipeline/pipeline.h"

#include <algorithm>
#include <array>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/text/marked_text.h"

namespace locus {
namespace {

SpecialTokens specials_of(const std::vector<AddedToken>& added) {
  std::map<std::string, int32_t> ids;
  for (const AddedToken& token : added) {
    if (token.special) ids.emplace(token.content, token.id);
  }
  return SpecialTokens(std::move(ids));
}

// Whether the ranges of a word's pieces follow from their ids: contiguous, and of the tokens' lengths.
bool regular(const TokenModel& model, std::span<const Piece> pieces, size_t size) {
  uint32_t place = 0;
  for (const Piece& piece : pieces) {
    if (piece.begin != place || piece.end - piece.begin != model.length(piece.id)) return false;
    place = piece.end;
  }
  return place == size;
}

}  // namespace

Pipeline::Pipeline(PipelineParts parts)
    : Tokenizer(static_cast<int32_t>(parts.tokens.size()), specials_of(parts.added)),
      parts_(std::move(parts)),
      raw_(parts_.added, false, nullptr),
      normalized_(parts_.added, true, parts_.normalizer.get()) {
  if (parts_.pre_tokenizer != nullptr) chunking_ = parts_.pre_tokenizer->chunking();
  chunks_raw_text_ = parts_.normalizer == nullptr || parts_.normalizer->split_points() >= chunking_.needs;
}

void Pipeline::append(std::string_view text, std::vector<int32_t>& ids) const {
  const Encoding encoding = tokens_of(text, Specials::are_text);
  ids.insert(ids.end(), encoding.ids.begin(), encoding.ids.end());
}

std::string_view Pipeline::plain_bytes(int32_t id) const {
  require(!parts_.tokens[id].empty(), Code::bad_token, "token id is {}, which the vocabulary does not use",
          id);
  return parts_.tokens[id];
}

bool Pipeline::has_no_text(int32_t id) const {
  return specials().name(id) != nullptr || specials().ids().contains(std::string(bytes(id)));
}

std::string Pipeline::decode(std::span<const int32_t> ids) const {
  std::vector<std::string> tokens;
  size_t size = 0;
  for (const int32_t id : ids) size += tokens.emplace_back(bytes(id)).size();
  if (parts_.decoder == nullptr) return fmt::format("{}", fmt::join(tokens, " "));
  TextBudget budget(size);
  parts_.decoder->apply(tokens, budget);
  return fmt::format("{}", fmt::join(tokens, ""));
}

Encoding Pipeline::frame(Encoding first, const Encoding* second, bool framed) const {
  return parts_.post_processor.apply(std::move(first), second, framed, [&](int32_t id) { return bytes(id); });
}

Encoding Pipeline::tokens_of(std::string_view text, Specials specials) const {
  return tokens_outside(text, specials, {});
}

std::vector<int32_t> Pipeline::encode_outside(std::string_view text, std::span<const TextSpan> user) const {
  return tokens_outside(text, Specials::are_tokens, user).ids;
}

Encoding Pipeline::tokens_outside(std::string_view text, Specials specials,
                                  std::span<const TextSpan> user) const {
  const CachePool::Borrowed cache(word_caches_);
  TextBudget budget(text.size());
  Encoding encoding;
  const auto token = [&](int32_t id, TextSpan span) {
    encoding.push(id, parts_.post_processor.trimmed(text, span, encoding.size() == 0), 0, 0);
  };
  const auto in_text = [&](size_t begin, size_t end) { return touches(user, begin, end); };
  for (const AddedTokenFinder::Part& part : raw_.cut(text, specials, in_text)) {
    if (part.id >= 0) {
      token(part.id, {static_cast<uint32_t>(part.begin), static_cast<uint32_t>(part.end)});
      continue;
    }
    AlignedText plain(text, part.begin, part.end, &budget);
    if (chunks_raw_text_ && normalized_.finds_nothing(specials) &&
        append_sections(plain, true, *cache, encoding)) {
      continue;
    }
    if (parts_.normalizer != nullptr) parts_.normalizer->apply(plain);
    budget.finish(plain.text().size());
    const auto in_plain = [&](size_t begin, size_t end) {
      const TextSpan source = plain.source(begin, end);
      return touches(user, source.begin, source.end);
    };
    const std::vector<AddedTokenFinder::Part> cuts = normalized_.cut(plain.text(), specials, in_plain);
    if (cuts.size() == 1 && cuts[0].id < 0) {
      append_text(std::move(plain), *cache, encoding);
      continue;
    }
    for (const AddedTokenFinder::Part& cut : cuts) {
      if (cut.id >= 0) {
        token(cut.id, plain.source(cut.begin, cut.end));
      } else {
        append_text(plain.slice(cut.begin, cut.end), *cache, encoding);
      }
    }
  }
  for (size_t i = 0; i < encoding.size(); ++i) {
    TextSpan& span = encoding.offsets[i];
    if (encoding.ids[i] == parts_.model->unknown()) span = parts_.post_processor.trimmed(text, span, i == 0);
  }
  return encoding;
}

void Pipeline::append_text(AlignedText text, WordCache& cache, Encoding& encoding) const {
  if (append_sections(text, false, cache, encoding)) return;
  Words words = {{0, text.text().size()}};
  if (parts_.pre_tokenizer != nullptr) parts_.pre_tokenizer->apply(text, words);
  append_words(text, words, cache, encoding);
}

void Pipeline::append_words(const AlignedText& text, const Words& words, WordCache& cache,
                            Encoding& encoding) const {
  encoding.make_room(words.size());
  std::vector<Piece> scratch;
  for (const AlignedText::Range& word : words) append_word(text, word, cache, scratch, encoding);
}

void Pipeline::append_word(const AlignedText& text, AlignedText::Range word, WordCache& cache,
                           std::vector<Piece>& scratch, Encoding& encoding) const {
  const size_t size = word.end - word.begin;
  const auto push = [&](int32_t id, size_t begin, size_t end) {
    encoding.push(id, text.source(word.begin + begin, word.begin + end), 0, 0);
  };
  WordCache::Query query;
  cache.prefetch(text.text(), word.begin, word.end, query);
  const auto [entry, known] = cache.find(query);
  if (known) {
    size_t begin = 0;
    for (int i = 0; i < entry->count; ++i) {
      const size_t end = begin + parts_.model->length(entry->ids[i]);
      push(entry->ids[i], begin, end);
      begin = end;
    }
    return;
  }
  scratch.clear();
  parts_.model->append(text.text().substr(word.begin, size), scratch);
  for (const Piece& piece : scratch) push(piece.id, piece.begin, piece.end);
  std::array<int32_t, WordCache::kMostIds> ids;
  if (entry == nullptr || scratch.size() > ids.size() || !regular(*parts_.model, scratch, size)) return;
  std::ranges::transform(scratch, ids.begin(), &Piece::id);
  entry->set(query, std::span(ids).first(scratch.size()));
}

const Tokenizer& Pipeline::targets() const {
  require(parts_.missing_targets.empty(), Code::missing_file,
          "{} not found, expected the tokenizer of the target texts", parts_.missing_targets);
  if (parts_.targets != nullptr) return *parts_.targets;
  return *this;
}

void Pipeline::save(const std::filesystem::path& folder) const {
  make_folder(folder);
  for (const auto& [name, contents] : parts_.files) write_file(folder / name, contents);
}

}  // namespace locus
