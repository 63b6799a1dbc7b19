// A language model of the user's own text: bytes, cut anywhere. Training takes from the first nine tenths,
// the test from the last: no byte is in both.
#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/study/task.h"

namespace locus::study {

Task text_task(const std::filesystem::path& file) {
  constexpr uint64_t kMost = uint64_t{1} << 31;  // positions in it are 32-bit draws
  constexpr size_t kLeast = 1000;
  const auto bytes = std::make_shared<const std::string>(read_file(file, kMost));
  require(bytes->size() >= kLeast, "{}: {} bytes, expected at least {} to learn from", file.string(),
          bytes->size(), kLeast);
  const size_t border = bytes->size() / 10 * 9;
  return {.name = "text",
          .summary = "predict the next byte of the text given",
          .position = "whatever its language asks",
          .kind = ModelKind::decoder,
          .metric = Metric::perplexity,
          .vocabulary = 256,
          .make = [bytes, border, file](int64_t length, const Random& random) {
            const bool training = list_of(random) == List::training;
            const size_t begin = training ? 0 : border, end = training ? border : bytes->size();
            const auto wanted = static_cast<size_t>(length) + 1;
            require(end - begin >= wanted, "{}: its {} of {} bytes is shorter than one example of {}",
                    file.string(), training ? "training part" : "test part", end - begin, wanted);
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
