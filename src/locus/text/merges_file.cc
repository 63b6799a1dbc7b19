// Reads vocab.bpe and encoder.json.
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/quote.h"
#include "locus/text/bpe_files.h"
#include "locus/text/byte_alphabet.h"
#include "locus/text/text_lines.h"
#include "locus/text/token_ids.h"

namespace locus {
namespace {

class MergesReader {
 public:
  explicit MergesReader(const std::filesystem::path& folder)
      : file_(folder / kMergesFile), encoder_(folder / kEncoderFile) {
    ids_ = read_token_ids(encoder_, encoder_.object());
    require(!ids_.empty(), "{}: the vocabulary is empty, expected at least one token", encoder_.where());
  }

  BpeVocabulary read() {
    read_merges();
    IdCheck check(encoder_.where(), ids_.size());
    std::map<std::string, int32_t> specials;
    vocabulary_.tokens.resize(ids_.size());
    for (const auto& [word, id] : ids_) {
      check.take(id, word);
      const std::optional<std::string> bytes = unspelled(word);
      if (bytes && (bytes->size() == 1 || made_.contains(id))) {
        vocabulary_.tokens[id] = *bytes;
      } else {
        specials.emplace(word, id);
      }
    }
    vocabulary_.specials = SpecialTokens(std::move(specials));
    require_no_special_merges();
    return std::move(vocabulary_);
  }

 private:
  void read_merges() {
    const std::string text = read_file(file_);
    TextLines lines(text);
    std::string_view line;
    while (lines.next(line)) {
      const bool header = lines.number() == 1 && line.starts_with("#version");
      if (!header) read_merge(line, lines.number());
    }
  }

  void read_merge(std::string_view line, int64_t number) {
    const size_t blank = line.find(' ');
    require(blank != std::string_view::npos && blank > 0 && blank + 1 < line.size() &&
                line.find(' ', blank + 1) == std::string_view::npos,
            "'{}', line {}: got {}, expected two tokens separated by a space", file_.string(), number,
            quote(line));
    const std::string left(line.substr(0, blank)), right(line.substr(blank + 1));
    const Merge merge = {.left = id_of(left, number),
                         .right = id_of(right, number),
                         .result = id_of(left + right, number),
                         .rank = static_cast<uint32_t>(vocabulary_.merges.size())};
    const auto [first, fresh] = pairs_.emplace(uint64_t(merge.left) << 32 | uint64_t(merge.right), number);
    require(fresh, "'{}', line {}: duplicate merge {}, first in line {}", file_.string(), number, quote(line),
            first->second);
    made_.insert(merge.result);
    vocabulary_.merges.push_back(merge);
    lines_.push_back(number);
  }

  int32_t id_of(const std::string& word, int64_t number) const {
    const auto found = ids_.find(word);
    require(found != ids_.end(), "'{}', line {}: token {} is not in {}", file_.string(), number, quote(word),
            encoder_.where());
    return found->second;
  }

  // A merge of a special token can never happen. It means that the two files do not belong together.
  void require_no_special_merges() const {
    for (size_t i = 0; i < vocabulary_.merges.size(); ++i) {
      for (const int32_t part : {vocabulary_.merges[i].left, vocabulary_.merges[i].right}) {
        const std::string* special = vocabulary_.specials.name(part);
        require(special == nullptr,
                "'{}', line {}: token {} is special, expected a byte or the result of a merge",
                file_.string(), lines_[i], quote(special == nullptr ? std::string_view() : *special));
      }
    }
  }

  std::filesystem::path file_;
  json::Document encoder_;
  std::unordered_map<std::string, int32_t> ids_;
  std::unordered_map<uint64_t, int64_t> pairs_;  // to the line of each
  std::vector<int64_t> lines_;                   // of each merge
  std::unordered_set<int32_t> made_;             // results of merges
  BpeVocabulary vocabulary_;
};

}  // namespace

BpeVocabulary read_merges(const std::filesystem::path& folder) { return MergesReader(folder).read(); }

}  // namespace locus
