// Opens tokenizer folders of any kind, and writes byte-level BPE vocabularies.
#include <algorithm>
#include <string>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/text/base64.h"
#include "locus/text/bpe_files.h"
#include "locus/text/byte_alphabet.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/text/character_vocabulary.h"
#include "locus/text/pipeline/pipeline_files.h"
#include "locus/text/tokenizer_config.h"
#include "locus/text/tokenizer_files.h"
#include "locus/text/vocabulary_file.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// The special tokens, whose ids are `first`, first + 1, and so on, in this order.
std::vector<std::string> names_from(int32_t first, const SpecialTokens& specials, const fs::path& folder) {
  std::vector<std::string> names;
  for (size_t i = 0; i < specials.ids().size(); ++i) {
    const auto id = static_cast<int32_t>(first + static_cast<int64_t>(i));
    const std::string* name = specials.name(id);
    require(name != nullptr, "'{}': no special token has id {}, expected ids from {} on without gaps",
            (folder / kVocabularyFile).string(), id, first);
    names.push_back(*name);
  }
  return names;
}

std::unique_ptr<Tokenizer> load_declared(const fs::path& folder) {
  const VocabularyFile file = read_vocabulary_file(folder);
  if (file.kind == "merges") return std::make_unique<Bpe>(read_merges(folder));
  if (file.kind == "ranks") return std::make_unique<Bpe>(read_ranks(folder / kRanksFile, file.specials));
  if (file.kind == "bytes") {
    return std::make_unique<ByteVocabulary>(names_from(256, file.specials, folder));
  }
  if (file.kind == "characters") {
    const auto count = static_cast<int32_t>(file.characters.size());
    return std::make_unique<CharacterVocabulary>(file.characters, names_from(count, file.specials, folder));
  }
  fail(Fault::data, "'{}': kind is {}, expected bytes, characters, merges or ranks",
       (folder / kVocabularyFile).string(), quote(file.kind));
}

// Settings for transformers, which are kept with the files of the tokenizer.
std::unique_ptr<Tokenizer> pipeline_of(PipelineParts parts, const fs::path& folder) {
  for (const char* name : {kTokenizerConfigFile, "special_tokens_map.json"}) {
    const bool kept = std::ranges::any_of(parts.files, [&](const auto& file) { return file.first == name; });
    if (!kept && is_there(folder / name)) parts.files.emplace_back(name, read_file(folder / name));
  }
  return std::make_unique<Pipeline>(std::move(parts));
}

// The only rank file of a folder, or an empty path.
fs::path rank_file_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    if (i->path().extension() == ".tiktoken") found.push_back(i->path());
  }
  if (error) {
    fail({Fault::io, Code::missing_file},
         "cannot open tokenizer folder {}: {}; expected a folder, or the word bytes", quote(folder.string()),
         error.message());
  }
  std::ranges::sort(found);
  require(found.size() < 2, "'{}' has {} rank files ({}, {}), expected one", folder.string(), found.size(),
          found.empty() ? "" : found[0].filename().string(),
          found.size() < 2 ? "" : found[1].filename().string());
  return found.empty() ? fs::path() : found.front();
}

void write_merges(const Bpe& bpe, const fs::path& folder) {
  const auto word = [&](int32_t id) {
    const std::string* special = bpe.specials().name(id);
    return special == nullptr ? spelled(bpe.bytes(id)) : *special;
  };
  std::string merges = "#version: 0.2\n";
  for (const Merge& merge : bpe.merges()) merges += word(merge.left) + ' ' + word(merge.right) + '\n';
  std::vector<std::string> tokens;
  for (int32_t id = 0; id < bpe.size(); ++id)
    tokens.push_back(fmt::format("{}: {}", json::text(word(id)), id));
  write_file(folder / kMergesFile, merges);
  write_file(folder / kEncoderFile, fmt::format("{{{}}}\n", fmt::join(tokens, ", ")));
}

void write_ranks(const Bpe& bpe, const fs::path& folder) {
  std::string lines;
  for (int32_t id = 0; id < bpe.size(); ++id) {
    if (bpe.specials().name(id) == nullptr) {
      lines += fmt::format("{} {}\n", base64_encoded(bpe.bytes(id)), id);
    }
  }
  write_file(folder / kRanksFile, lines);
}

}  // namespace

void save_bpe(const Bpe& bpe, const fs::path& folder) {
  make_folder(folder);
  const bool ranks = bpe.kind() == "ranks";
  ranks ? write_ranks(bpe, folder) : write_merges(bpe, folder);
  write_vocabulary_file(folder, {.kind = std::string(bpe.kind()), .specials = bpe.specials()});
}

std::vector<std::string> tokenizer_files(const fs::path& folder) {
  std::vector<std::string> names(std::begin(kTokenizerFiles), std::end(kTokenizerFiles));
  for (const char* name : {kVocabularyFile, kMergesFile, kEncoderFile}) names.emplace_back(name);
  std::erase_if(names, [&](const std::string& name) { return !is_there(folder / name); });
  for (const fs::path& entry : entries_of(folder)) {
    if (entry.extension() == ".tiktoken") names.push_back(entry.filename().string());
  }
  return names;
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& place) {
  if (place == "bytes") return std::make_unique<ByteVocabulary>();
  const fs::path folder = place;
  if (folder.extension() == ".tiktoken" && !is_folder(folder))
    return std::make_unique<Bpe>(read_ranks(folder));
  const auto has = [&](const char* name) { return is_there(folder / name); };
  if (has(kVocabularyFile)) return load_declared(folder);
  if (has(kPipelineFile)) return pipeline_of(read_pipeline_file(folder), folder);
  if (has(kWordPieceFile)) return pipeline_of(read_wordpiece_files(folder), folder);
  if (has(kMarianFile) && has(kBpeVocabularyFile)) {
    return pipeline_of(read_marian_files(folder), folder);
  }
  if (has(kBpeVocabularyFile) && has(kBpeMergesFile)) {
    return pipeline_of(read_merge_files(folder), folder);
  }
  if (const fs::path pieces = piece_file_in(folder); !pieces.empty()) {
    return pipeline_of(read_piece_file(pieces), folder);
  }
  if (has(kMergesFile) || has(kEncoderFile)) return std::make_unique<Bpe>(read_merges(folder));
  const fs::path ranks = rank_file_in(folder);
  require(!ranks.empty(), Code::missing_file,
          "no tokenizer in '{}', expected one of: {}, {}, {}, {} with {} or {}, {}, {} with {}, *.tiktoken",
          folder.string(), kVocabularyFile, kPipelineFile, kWordPieceFile, kBpeVocabularyFile, kMarianFile,
          kBpeMergesFile, fmt::join(kPieceFiles, ", "), kMergesFile, kEncoderFile);
  return std::make_unique<Bpe>(read_ranks(ranks));
}

}  // namespace locus
