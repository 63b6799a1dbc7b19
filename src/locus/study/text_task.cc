// A language model of the user's own text, from random offsets. Training uses the first nine tenths of the
// file, the test the last tenth.
#include <cmath>

#include "locus/base/checksum.h"
#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/fingerprint.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"
#include "locus/study/task.h"
#include "locus/text/bpe.h"
#include "locus/text/bpe_learn.h"

namespace locus::study {
namespace {

constexpr std::string_view kBytes = "bytes", kLearn = "learn:";

// Windows at random offsets of the training part or of the test part.
template <class Token>
struct WindowSource {
  std::vector<Token> training, test;
  std::string file, unit;

  Example operator()(int64_t length, const Random& random) const {
    const bool in_training = list_of(random) == List::training;
    const std::vector<Token>& part = in_training ? training : test;
    const auto wanted = static_cast<size_t>(length) + 1;
    require(part.size() >= wanted, "{} of {} too short: got {} {}, expected at least {}",
            in_training ? "training part" : "test part", file, part.size(), unit, wanted);
    const size_t first = random.below(0, static_cast<uint32_t>(part.size() - wanted + 1));
    Example example;
    for (size_t i = first; i < first + wanted; ++i) example.ids.push_back(part[i]);
    example.targets.assign(example.ids.begin() + 1, example.ids.end());
    example.ids.pop_back();
    return example;
  }
};

template <class Token>
std::function<Example(int64_t, const Random&)> windows_of(WindowSource<Token> source) {
  const auto shared = std::make_shared<const WindowSource<Token>>(std::move(source));
  return [shared](int64_t length, const Random& random) { return (*shared)(length, random); };
}

std::unique_ptr<Tokenizer> open(const std::string& name, std::string_view training) {
  if (!name.starts_with(kLearn)) return load_tokenizer(name);
  constexpr int32_t kLeast = 256, kMost = 1 << 20;
  const auto size = parse<int32_t>(std::string_view(name).substr(kLearn.size()));
  if (!size || *size < kLeast || *size > kMost) {
    fail(Fault::usage, "bad tokenizer {}: expected learn:N with N from {} to {}", quote(name), kLeast, kMost);
  }
  WordCounts counts;
  counts.add(training);
  return std::make_unique<Bpe>(learn_bpe(counts, {.size = *size, .specials = {}, .progress = {}}));
}

uint64_t checksum_of(const std::vector<int32_t>& ids) { return checksum(std::as_bytes(std::span(ids))); }

void use_tokens(Task& task, const std::filesystem::path& file, const std::string& tokenizer_name,
                std::string_view training, std::string_view test) {
  const std::unique_ptr<Tokenizer> tokenizer = open(tokenizer_name, training);
  WindowSource<int32_t> source{tokenizer->encode(training), tokenizer->encode(test), file.string(), "tokens"};
  task.title = "Language modeling, tokens of a text";
  task.summary = "predict the next token of your text";
  task.example = "The quick brown \u2192 fox";
  task.vocabulary = tokenizer->size();
  task.text = {.training_tokens = static_cast<int64_t>(source.training.size()),
               .test_tokens = static_cast<int64_t>(source.test.size()),
               .bytes_per_token = static_cast<double>(test.size()) / static_cast<double>(source.test.size()),
               .exact = tokenizer->decode(source.test) == test,
               .identity = fmt::format("{}vocabulary of {}, training tokens {:016x}, test tokens {:016x}\n",
                                       fingerprint(file), tokenizer->size(), checksum_of(source.training),
                                       checksum_of(source.test))};
  task.make = windows_of(std::move(source));
}

}  // namespace

Task text_task(const std::filesystem::path& file, const std::string& tokenizer) {
  constexpr uint64_t kMost = uint64_t{1} << 31;  // offsets are 32-bit random numbers
  constexpr size_t kLeast = 1000;
  const std::string bytes = read_file(file, kMost);
  require(bytes.size() >= kLeast, "text too short in {}: got {} bytes, expected at least {}", file.string(),
          bytes.size(), kLeast);
  size_t border = bytes.size() / 10 * 9;
  Task task = {.name = "text",
               .title = "Language modeling, bytes of a text",
               .summary = "predict the next byte of your text",
               .example = "The quick brown fo \u2192 x",
               .position = "whatever the language of the text needs",
               .kind = ModelKind::decoder,
               .metric = Metric::perplexity,
               .vocabulary = 256,
               .make = {}};
  if (tokenizer != kBytes) {
    const auto inside_character = [&] { return (static_cast<uint8_t>(bytes[border]) & 0xc0) == 0x80; };
    while (border > 0 && inside_character()) --border;
    const std::string_view all = bytes;
    use_tokens(task, file, tokenizer, all.substr(0, border), all.substr(border));
    return task;
  }
  const auto middle = bytes.begin() + static_cast<int64_t>(border);
  WindowSource<uint8_t> source{{bytes.begin(), middle}, {middle, bytes.end()}, file.string(), "bytes"};
  task.text = {.training_tokens = static_cast<int64_t>(source.training.size()),
               .test_tokens = static_cast<int64_t>(source.test.size()),
               .identity = fingerprint(file)};
  task.make = windows_of(std::move(source));
  return task;
}

double bits_per_byte(const Task& text_task, double perplexity) {
  return std::log2(perplexity) / text_task.text->bytes_per_token;
}

}  // namespace locus::study
