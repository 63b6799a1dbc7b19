#include "locus/apply/rank_embedder.h"

#include <algorithm>
#include <cstring>

#include "locus/base/checksum.h"
#include "locus/base/fingerprint.h"
#include "locus/base/parse.h"
#include "locus/base/paths.h"
#include "locus/base/version.h"
#include "locus/dist/handshake.h"
#include "locus/dist/parts.h"
#include "locus/kernel/processor.h"

namespace locus {
namespace {

// Texts [begin, end) of a list. A block is a few batches: small enough that ranks end at about the same time.
struct Block {
  size_t begin = 0, end = 0;
};

std::vector<Block> blocks_of(ListView<std::string> texts) {
  constexpr size_t kBytes = 1 << 15, kTexts = 512;
  std::vector<Block> blocks;
  size_t bytes = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const bool full = blocks.empty() || bytes >= kBytes || i - blocks.back().begin >= kTexts;
    if (full) blocks.push_back({i, i}), bytes = 0;
    blocks.back().end = i + 1;
    bytes += texts[i].size();
  }
  return blocks;
}

// The vectors of a block, and an error for each text without one.
struct Vectors {
  Tensor rows;
  std::vector<std::pair<size_t, Error>> bad;
};

Vectors vectors_of(const Embedder& embedder, std::span<const std::string> texts, const std::string& prompt,
                   ReadOptions options) {
  Vectors vectors;
  options.on_bad = [&](size_t i, const Error& error) { vectors.bad.emplace_back(i, error); };
  vectors.rows = embedder.embed(texts, options, prompt);
  return vectors;
}

std::vector<std::byte> encode(const Vectors& vectors) {
  std::vector<std::string> texts;
  for (const auto& [i, error] : vectors.bad)
    texts.push_back(std::to_string(i)), texts.push_back(error.what());
  std::vector<std::string_view> parts{dist::text_of(std::as_bytes(vectors.rows.data<float>()))};
  parts.insert(parts.end(), texts.begin(), texts.end());
  return dist::pack(parts);
}

// The work of embed(): the blocks of a list of texts on all ranks.
class Spread {
 public:
  Spread(ListView<std::string> texts, int64_t width, dist::Crew& crew, int ranks)
      : texts_(texts),
        width_(static_cast<size_t>(width)),
        crew_(crew),
        blocks_(blocks_of(texts)),
        given_(static_cast<size_t>(ranks)),
        vectors_(Tensor::zeros({std::ssize(texts), width})),
        errors_(texts.size()) {}

  template <class OwnWork>
  void run(const OwnWork& own, const ReadOptions& options) {
    const auto look = [&] {
      while (const auto answer = crew_.arrived()) {
        take(*answer, options);
        hand_out();
      }
    };
    while (true) {
      hand_out();
      if (next_ < blocks_.size()) {
        const Block block = blocks_[next_++];
        const Vectors vectors = own(texts_.subspan(block.begin, block.end - block.begin), look);
        put(block, dist::text_of(std::as_bytes(vectors.rows.template data<float>())));
        for (const auto& [i, error] : vectors.bad) errors_[block.begin + i] = error;
      } else if (crew_.is_busy()) {
        take(crew_.wait(), options);
      } else {
        break;
      }
    }
    report_bad(errors_, options);
  }
  const Tensor& vectors() const { return vectors_; }

 private:
  void hand_out() {
    for (auto rank = crew_.free_rank(); rank && next_ < blocks_.size(); rank = crew_.free_rank()) {
      const Block block = given_[*rank] = blocks_[next_++];
      const auto texts = texts_.subspan(block.begin, block.end - block.begin);
      crew_.give(*rank, dist::pack(std::vector<std::string_view>(texts.begin(), texts.end())));
    }
  }

  void take(const dist::Crew::Answer& answer, const ReadOptions& options) {
    const Block block = given_[answer.rank];
    const auto parts = dist::unpack(answer.bytes, "vectors");
    const size_t expected = (block.end - block.begin) * width_ * sizeof(float);
    if (parts.size() % 2 != 1 || parts[0].size() != expected) {
      fail(Fault::peer, "rank {} sent vectors of {} bytes, expected {}", answer.rank,
           parts.empty() ? 0 : parts[0].size(), expected);
    }
    put(block, parts[0]);
    for (size_t i = 1; i < parts.size(); i += 2) {
      const size_t text = block.begin + parse<size_t>(parts[i]).value_or(texts_.size());
      if (text >= block.end) fail(Fault::peer, "rank {} sent an error of an unknown text", answer.rank);
      errors_[text] = Error(Fault::data, std::string(parts[i + 1]));
    }
    if (options.on_batch) options.on_batch(block.end - block.begin);
  }

  void put(const Block& block, std::string_view bytes) {
    if (!bytes.empty())
      std::memcpy(&vectors_.data<float>()[block.begin * width_], bytes.data(), bytes.size());
  }

  ListView<std::string> texts_;
  size_t width_;
  dist::Crew& crew_;
  std::vector<Block> blocks_, given_;  // in order, and to each rank
  size_t next_ = 0;                    // block
  Tensor vectors_;
  std::vector<std::optional<Error>> errors_;
};

}  // namespace

std::string identity_of(const Embedder& embedder, std::string_view prompt, const ReadOptions& options) {
  const TextModel& model = embedder.model();
  std::string files;
  for (const std::filesystem::path& folder : {model.folder(), model.trained().checkpoint()}) {
    for (const std::filesystem::path& file : entries_of(folder)) {
      if (!is_folder(file)) files += file.filename().string() + fingerprint(file);
    }
  }
  const Parameters& parameters = model.model().parameters();
  const bool has_bf16 = std::ranges::any_of(
      parameters.all(), [](const NamedParameter& one) { return one.var.value().dtype() == DType::bf16; });
  return fmt::format("locus {}, {} {}, model {:016x} as {}, prompt {}, texts {}", version(),
                     processor_of(parameters.device()), name_of(parameters.device()), checksum(files),
                     has_bf16 ? "bf16" : "f32", prompt, options.truncate ? "truncated" : "whole");
}

RankEmbedder::RankEmbedder(const Embedder& embedder, std::string prompt, const ReadOptions& options,
                           dist::Transport& transport, dist::StopAsked stop_asked)
    : embedder_(embedder),
      prompt_(std::move(prompt)),
      options_(options),
      transport_(transport),
      stop_asked_(std::move(stop_asked)),
      crew_(transport, stop_asked_) {
  dist::require_same(transport, {{"embedder", identity_of(embedder_, prompt_, options_)}});
}

Tensor RankEmbedder::embed(ListView<std::string> texts, const ReadOptions& options) {
  Spread spread(texts, embedder_.width(), crew_, transport_.size());
  const auto own = [&](std::span<const std::string> block, const auto& look) {
    ReadOptions reading = options;
    reading.on_batch = [&](size_t count) {
      look();
      if (options.on_batch) options.on_batch(count);
    };
    return vectors_of(embedder_, block, prompt_, reading);
  };
  spread.run(own, options);
  return spread.vectors();
}

int RankEmbedder::help() {
  const auto embed = [&](dist::ConstBytes job, const dist::Pause& pause) {
    const auto parts = dist::unpack(job, "texts");
    ReadOptions reading = options_;
    reading.on_batch = [&](size_t) { pause(); };
    return encode(
        vectors_of(embedder_, std::vector<std::string>(parts.begin(), parts.end()), prompt_, reading));
  };
  return dist::serve(transport_, embed, stop_asked_);
}

}  // namespace locus
