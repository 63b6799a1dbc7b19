// A language model of the user's own text, byte by byte, from random offsets. Training uses the first nine
// tenths of the file, the test the last tenth.
#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/study/task.h"

namespace locus::study {

Task text_task(const std::filesystem::path& file) {
  constexpr uint64_t kMost = uint64_t{1} << 31;  // offsets are 32-bit random numbers
  constexpr size_t kLeast = 1000;
  const auto bytes = std::make_shared<const std::string>(read_file(file, kMost));
  require(bytes->size() >= kLeast, "text too short in {}: got {} bytes, expected at least {}", file.string(),
          bytes->size(), kLeast);
  const size_t border = bytes->size() / 10 * 9;
  return {.name = "text",
          .title = "Language modeling, bytes of a text",
          .summary = "predict the next byte of your text",
          .example = "The quick brown fo \u2192 x",
          .position = "whatever the language of the text needs",
          .kind = ModelKind::decoder,
          .metric = Metric::perplexity,
          .vocabulary = 256,
          .make = [bytes, border, file](int64_t length, const Random& random) {
            const bool training = list_of(random) == List::training;
            const size_t begin = training ? 0 : border, end = training ? border : bytes->size();
            const auto wanted = static_cast<size_t>(length) + 1;
            require(end - begin >= wanted, "{} of {} too short: got {} bytes, expected at least {}",
                    training ? "training part" : "test part", file.string(), end - begin, wanted);
            const size_t first = begin + random.below(0, static_cast<uint32_t>(end - begin - wanted + 1));
            Example example;
            for (size_t i = first; i < first + wanted; ++i) {
              example.ids.push_back(static_cast<uint8_t>((*bytes)[i]));
            }
            example.targets.assign(example.ids.begin() + 1, example.ids.end());
            example.ids.pop_back();
            return example;
          }};
}

}  // namespace locus::study
