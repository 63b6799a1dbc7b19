// locus tokenize: converts text to token ids and back, and learns BPE vocabularies.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "locus/base/error.h"
#include "locus/base/folder.h"
#include "locus/base/json.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"
#include "locus/cli/input.h"
#include "locus/cli/progress_line.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_chunks.h"
#include "locus/cli/token_json.h"
#include "locus/cli/tokenizer_argument.h"
#include "locus/text/bpe_learn.h"
#include "locus/text/readable.h"
#include "locus/text/text_blocks.h"
#include "locus/text/token_file.h"

namespace locus::cli {
namespace {

struct TokenizeRequest {
  std::vector<std::string> words, files, specials;
  std::string tokenizer, out;
  SpanUnit offsets;
  InputFormat format = InputFormat::by_name;
  std::optional<int32_t> learn;
  bool decode = false, count = false, json = false, read_specials = false, plain = false, skip_bad = false;
};

// Whether every line of the input is a text of its own, or each file is one long text.
bool by_line(const TokenizeRequest& request) {
  const RecordSource source{.command = "tokenize", .files = request.files, .format = request.format};
  return request.json || source.is_jsonl("-") ||
         std::ranges::any_of(request.files, [&](const std::string& file) { return source.is_jsonl(file); });
}

void check(const TokenizeRequest& request) {
  const auto refuse_together = [](bool both, const char* a, const char* b) {
    if (both) fail(Fault::usage, "tokenize: {} cannot be combined with {}", a, b);
  };
  refuse_together(request.decode && request.count, "--decode", "--count");
  refuse_together(request.decode && !request.out.empty(), "--decode", "--out");
  refuse_together(request.json && !request.out.empty(), "--json", "--out");
  refuse_together(request.json && request.count, "--json", "--count");
  refuse_together(!request.out.empty() && by_line(request) && !request.json, "--out", "JSON Lines input");
  refuse_together(request.learn && request.decode, "--learn", "--decode");
  refuse_together(request.learn && request.count, "--learn", "--count");
  refuse_together(request.learn && request.json, "--learn", "--json");
  refuse_together(!request.words.empty() && !request.files.empty(), "words", "--file");
  if (request.learn && request.out.empty()) {
    fail(Fault::usage, "tokenize: --learn needs --out, the folder to write the vocabulary to");
  }
  const int64_t least = 256 + static_cast<int64_t>(request.specials.size());
  if (request.learn && *request.learn < least) {
    fail(Fault::usage, "tokenize: got --learn {}, expected at least {} (256 bytes plus the special tokens)",
         *request.learn, least);
  }
  if (request.skip_bad && !by_line(request)) {
    fail(Fault::usage, "tokenize: --skip-bad needs --json or JSON Lines input, which are read line by line");
  }
  if (!request.learn && !request.specials.empty()) {
    fail(Fault::usage, "tokenize: --special needs --learn");
  }
}

void count_words(const std::string& file, WordCounts& counts, ProgressLine& line) {
  if (file == "-") return counts.add(read_input(file));
  each_block(file, [&](std::string_view block, uint64_t done, uint64_t size) {
    counts.add(block);
    line.show(fmt::format("{}: read {} of {} MB", file, done >> 20, size >> 20));
  });
}

void learn(const TokenizeRequest& request) {
  require_free(request.out);  // fail before the long computation, not after it
  std::vector<std::string> files = request.words.empty() ? request.files : request.words;
  if (files.empty()) files = {"-"};
  std::string summary;
  {
    ProgressLine line;
    WordCounts counts;
    for (const std::string& file : files) count_words(file, counts, line);
    const Bpe bpe(learn_bpe(
        counts,
        {.size = *request.learn, .specials = request.specials, .progress = [&](int32_t tokens, int32_t size) {
           line.show(fmt::format("{} of {} tokens", tokens, size));
         }}));
    write_folder(request.out, [&](const std::filesystem::path& unfinished) { bpe.save(unfinished); });
    summary = fmt::format("{}: {} tokens, {} merges from {} distinct words\n", request.out, bpe.size(),
                          bpe.merges().size(), counts.words().size());
    if (bpe.size() < *request.learn)
      summary += "No pair occurs twice any more, so no further tokens can be learned.\n";
  }
  print(summary);
}

std::string pieces_of(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  std::vector<std::string> pieces;
  for (const int32_t id : ids) pieces.push_back(json::text(readable(tokenizer.bytes(id))));
  return json::list(pieces);
}

// Parses ids separated by spaces, commas or line ends.
std::vector<int32_t> ids_of(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n,[]";
  std::vector<int32_t> ids;
  for (size_t i = 0; (i = text.find_first_not_of(kBetween, i)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kBetween, i), text.size());
    const std::string_view word = text.substr(i, end - i);
    const std::optional<int32_t> id = parse<int32_t>(word);
    require(id.has_value(), "tokenize: got {}, expected a token id", quote(word));
    ids.push_back(*id);
    i = end;
  }
  return ids;
}

EncodeOptions options_of(const TokenizeRequest& request) {
  return {.specials = request.read_specials ? Specials::are_tokens : Specials::are_text,
          .framed = !request.plain,
          .unit = request.offsets.bytes() ? OffsetUnit::bytes : OffsetUnit::code_points};
}

// Tokenizes every argument or line separately.
void encode_lines(const TokenizeRequest& request) {
  TextRequest texts{
      .words = request.words, .files = request.files, .format = request.format, .skip_bad = request.skip_bad};
  texts.reading.truncate = true;  // nothing is too long, so nothing needs to be checked before
  Records records(texts.source("tokenize"));
  const auto tokenizer = load_tokenizer(request.tokenizer);
  each_chunk_in_pieces(
      texts, records, [&](std::span<const Record> chunk, const ReadOptions& reading) -> Output {
        std::vector<Encoding> encodings = encode_each(chunk.size(), reading, [&](size_t i) {
          return tokenizer->encoding(chunk[i].text, options_of(request));
        });
        return [&, chunk, encodings = std::move(encodings)](size_t i, const Write& write) {
          const std::vector<int32_t>& ids = encodings[i].ids;
          if (request.json) return write_json(*tokenizer, chunk[i].text, encodings[i], write);
          write(request.count ? fmt::format("{}\n", ids.size()) : fmt::format("{}\n", fmt::join(ids, " ")));
        };
      });
}

// Prints or writes the ids, or their number, of every argument and of every file as one long text.
class Encoder {
 public:
  explicit Encoder(const TokenizeRequest& request)
      : request_(request), tokenizer_(load_tokenizer(request.tokenizer)), options_(options_of(request)) {
    if (!request.out.empty()) writer_.emplace(request.out, tokenizer_->size());
  }

  void run() {
    for (const std::string& word : request_.words) text(word);
    for (const std::string& file : request_.files) take_file(file);
    if (request_.words.empty() && request_.files.empty()) take_file("-");
    if (!writer_) return;
    writer_->commit();
    print(fmt::format("{}: {} tokens, vocabulary of {}\n", request_.out, total_, tokenizer_->size()));
  }

 private:
  void take_file(const std::string& file) {
    if (file == "-" || request_.read_specials) return text(read_input(file));
    count_ = 0;
    // A training file is one long text: no special tokens are added around its blocks.
    each_block(file, [&](std::string_view block, uint64_t, uint64_t) {
      part(tokenizer_->encode(block, options_.specials));
    });
    end();
  }

  void text(std::string_view whole) {
    count_ = 0;
    part(tokenizer_->encoding(whole, options_).ids);
    end();
  }

  void part(const std::vector<int32_t>& ids) {
    const bool first = count_ == 0;
    count_ += static_cast<int64_t>(ids.size());
    if (writer_) {
      writer_->write(ids);
    } else if (!request_.count && !ids.empty()) {
      print(fmt::format("{}{}", first ? "" : " ", fmt::join(ids, " ")));
    }
  }

  void end() {
    total_ += count_;
    if (writer_) return;
    print(request_.count ? fmt::format("{}\n", count_) : "\n");
  }

  const TokenizeRequest& request_;
  std::unique_ptr<Tokenizer> tokenizer_;
  EncodeOptions options_;
  std::optional<TokenFileWriter> writer_;
  int64_t count_ = 0, total_ = 0;
};

void decode(const TokenizeRequest& request) {
  const auto tokenizer = load_tokenizer(request.tokenizer);
  std::string text = fmt::format("{}", fmt::join(request.words, " "));
  for (const std::string& file : request.files) text += read_input(file) + " ";
  if (request.words.empty() && request.files.empty()) text = read_input("-");
  const std::vector<int32_t> ids = ids_of(text);
  const std::string bytes = request.read_specials ? tokenizer->decode(ids) : tokenizer->decode_text(ids);
  if (!request.json) return print(bytes);
  print(json::object({{"text", json::text(readable(bytes))},
                      {"ids", json::numbers(ids)},
                      {"pieces", pieces_of(*tokenizer, ids)}}) +
        "\n");
}

void run(TokenizeRequest& request) {
  if (request.tokenizer.empty() && !request.learn) {
    request.tokenizer = take_tokenizer(request.words, request.decode ? Words::ids : Words::texts);
  }
  check(request);
  if (request.learn) return learn(request);
  if (request.decode) return decode(request);
  if (by_line(request)) return encode_lines(request);
  Encoder(request).run();
}

}  // namespace

void add_tokenize(CLI::App& program) {
  Command command(program, "tokenize", "Convert text to token ids and back, or learn a vocabulary");
  command.footer(
      "Examples:\n"
      "  locus tokenize models/all-MiniLM-L6-v2 --json \"Where am I?\"\n"
      "  locus tokenize --learn 4096 corpus.txt --out tok/\n"
      "  locus tokenize --tokenizer tok/ \"Where am I?\"\n"
      "  locus tokenize --tokenizer tok/ --decode 40 367 2885\n"
      "  locus tokenize --tokenizer tok/ --file corpus.txt --out corpus.tokens\n"
      "  echo \"Where am I?\" | locus tokenize --tokenizer bytes --json");
  auto request = std::make_shared<TokenizeRequest>();
  command.option(
      "TEXT", request->words,
      "Texts; with --decode token ids; with --learn files. Without them, stdin is read. The first one "
      "may be the tokenizer: a folder, a .tiktoken file, or bytes");
  command.option("--file", request->files, "A text file, - for stdin; may be repeated").repeated();
  add_input_format(command, request->format);
  command.option("--tokenizer", request->tokenizer, "A tokenizer folder, a .tiktoken file, or bytes [bytes]");
  command.option("--learn", request->learn, "Learn a BPE vocabulary of this size");
  command.option("--special", request->specials, "With --learn: name of a special token; may be repeated")
      .repeated();
  command.option("--out", request->out,
                 "With --learn: the folder to write; otherwise a token file for the ids");
  command.flag("--read-specials", request->read_specials,
               "Parse names of special tokens in the text; with --decode print them");
  command.flag("--plain", request->plain, "Do not add special tokens around a text");
  add_offsets(command, request->offsets, "Unit of the offsets in --json");
  command.flag("--decode", request->decode, "Convert ids to text");
  command.flag("--count", request->count, "Print the number of tokens instead of the ids");
  command.flag("--json", request->json, "Print one JSON object per text; every line of a file is a text");
  command.flag("--skip-bad", request->skip_bad,
               "With --json or JSON Lines input: report lines that cannot be read and skip them");
  add_threads(command);
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
