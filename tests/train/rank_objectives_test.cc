// Every kind of objective on several ranks: the bytes of one process, with dropout, clipping, micro-batches
// and a validation that the ranks share. With micro-batches, layers are recomputed.
#include <gtest/gtest.h>

#include "locus/train/model_objective.h"
#include "locus/train/text_samples.h"
#include "tests/train/rank_training.h"

namespace locus {
namespace {

struct Kind {
  ModelKind kind;
  HeadKind head;
  const char* scheme = "learned";
};

// `count` samples of 3 to 9 tokens with random targets. A third of the masked tokens have none.
ListedSamples random_samples(const Kind& kind, int count) {
  std::vector<Sample> samples;
  const Random random(7, static_cast<uint64_t>(kind.head));
  uint64_t next = 0;
  const auto below = [&](uint32_t end) { return static_cast<int32_t>(random.below(next++, end)); };
  const auto ids = [&](int32_t length) {
    std::vector<int32_t> list;
    for (int32_t i = 0; i < length; ++i) list.push_back(below(12));
    return list;
  };
  for (int i = 0; i < count; ++i) {
    const int32_t length = 3 + below(7);
    Sample sample{.ids = ids(length)};
    if (kind.head == HeadKind::sequence_class) {
      sample.targets = {below(3)};
    } else if (kind.head == HeadKind::answer) {
      sample.targets = {below(2), 1 + below(2)};
    } else {
      for (int32_t t = 0; t < length; ++t) {
        const bool ignored = kind.head == HeadKind::masked_token && below(3) == 0;
        sample.targets.push_back(ignored ? kernel::kIgnoredTarget : below(3));
      }
    }
    if (kind.kind == ModelKind::encoder_decoder) sample.text = ids(4);
    samples.push_back(std::move(sample));
  }
  return {std::move(samples), "the list"};
}

std::string trained(const Kind& kind, int ranks, int64_t micro_batches) {
  const TemporaryFolder place(in_memory());
  const ListedSamples training = random_samples(kind, 30), validation = random_samples(kind, 1500);
  const auto errors = dist::run_ranks(ranks, [&](dist::Transport& transport) {
    Model model({.kind = kind.kind,
                 .vocabulary = 12,
                 .width = 16,
                 .layers = 2,
                 .max_length = 16,
                 .scheme = kind.scheme,
                 .attention = {.heads = 2, .dropout = 0.1f},
                 .dropout = 0.1f,
                 .head = {.kind = kind.head, .labels = 3}});
    ModelObjective objective(
        model, training, &validation,
        {.batches = {.batch_size = 10, .seed = 3}, .recompute = micro_batches == 3, .ranks = &transport});
    std::optional<RunFolder> folder;
    if (transport.rank() == 0) folder.emplace(place.path());
    train({.objective = objective,
           .parameters = model.parameters(),
           .folder = folder ? &*folder : nullptr,
           .settings = {.steps = 3,
                        .micro_batches = micro_batches,
                        .shards = 4,
                        .learning_rate = 0.02,
                        .adamw = {.clip = 0.1}},
           .ranks = &transport});
  });
  for (const auto& error : errors) EXPECT_FALSE(error) << error->what();
  return result_of(place.path());
}

TEST(RankObjectives, GiveTheSameBytes) {
  constexpr Kind kKinds[] = {{ModelKind::decoder, HeadKind::next_token},
                             {ModelKind::encoder, HeadKind::masked_token},
                             {ModelKind::encoder_decoder, HeadKind::next_token},
                             {ModelKind::encoder, HeadKind::sequence_class},
                             {ModelKind::encoder, HeadKind::token_class},
                             {ModelKind::encoder, HeadKind::answer},
                             {ModelKind::encoder, HeadKind::masked_token, "deberta"},
                             {ModelKind::decoder, HeadKind::next_token, "t5"},
                             {ModelKind::encoder, HeadKind::sequence_class, "shaw"}};
  for (const Kind& kind : kKinds) {
    for (const int64_t micro_batches : {1, 3}) {
      SCOPED_TRACE(fmt::format("head {}, {}, {} micro-batches", static_cast<int>(kind.head), kind.scheme,
                               micro_batches));
      const std::string expected = trained(kind, 1, micro_batches);
      for (const int ranks : {2, 3, 4}) {
        EXPECT_TRUE(trained(kind, ranks, micro_batches) == expected) << ranks << " ranks";
      }
    }
  }
}

}  // namespace
}  // namespace locus
