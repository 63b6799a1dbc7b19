// Models applied to texts on a device whose memory the host cannot read: the results of the CPU.
#include <gtest/gtest.h>

#include "locus/apply/answerer.h"
#include "locus/apply/classifier.h"
#include "locus/apply/embedder.h"
#include "locus/apply/filler.h"
#include "locus/apply/tagger.h"
#include "locus/apply/writer.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/checkpoint/safetensors.h"
#include "locus/tensor/cuda/driver.h"
#include "tests/apply/expected.h"
#include "tests/expect_error.h"
#include "tests/other_device.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

using testing::expect_same;
using testing::other_device;

// result(model) for a model in each memory.
template <class Task, class Result>
void compare(const std::string& job, const Result& result, DType weights = DType::f32) {
  SCOPED_TRACE(job);
  const std::filesystem::path folder = golden_model(job);
  const Task other(TextModel(folder, weights, other_device())), cpu(TextModel(folder, weights));
  EXPECT_EQ(other.model().model().parameters().device(), other_device());
  expect_same(result(other), result(cpu));
}

TEST(ApplyOnADevice, Embeds) {
  const auto result = [](const Embedder& embedder) {
    return embedder.embed(texts_of(Expected("embed"))).values();
  };
  compare<Embedder>("embed", result);
  compare<Embedder>("embed", result, DType::bf16);
  compare<Embedder>("embed_last", result);
  compare<Embedder>("embed", [](const Embedder& embedder) {
    const std::vector<std::string> text = {"the dog"};
    return embedder.states(embedder.read(text));
  });
}

TEST(ApplyOnADevice, WithoutAGpuIsOneError) {
  if (cuda::find().problem.empty()) GTEST_SKIP() << "this machine has a GPU";
  const std::filesystem::path folder = golden_model("embed");
  expect_error(Fault::resource, Code::no_gpu, {}, [&] { Embedder(folder, DType::f32, Device::cuda); });
  expect_error(Fault::resource, Code::no_gpu, {}, [&] { open_model(folder, {.device = Device::cuda}); });
}

TEST(ApplyOnADevice, EmbedsWithADenseLayer) {
  const CopyOf folder("embed");
  put(folder / "modules.json", R"([{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "path": "2_Dense", "type": "sentence_transformers.models.Dense"}])");
  std::filesystem::create_directory(folder / "1_Pooling");
  put(folder / "1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true})");
  std::filesystem::create_directory(folder / "2_Dense");
  put(folder / "2_Dense/config.json", R"({"in_features": 12, "out_features": 5})");
  write_safetensors(folder / "2_Dense/model.safetensors",
                    {{"linear.weight", Tensor::full({5, 12}, 0.1)}, {"linear.bias", Tensor::full({5}, 0.2)}});
  const std::vector<std::string> texts = {"the dog", "it ran"};
  const Embedder other(folder.path(), DType::f32, other_device()), cpu(folder.path());
  EXPECT_EQ(other.width(), 5);
  expect_same(other.embed(texts).values(), cpu.embed(texts).values());
}

TEST(ApplyOnADevice, Classifies) {
  const auto result = [](const Classifier& classifier) {
    return classifier.logits(std::vector<TextInput>{{"the dog"}, {"it ran to the barn"}});
  };
  compare<Classifier>("classify", result);
  compare<Classifier>("entail", result);
}

TEST(ApplyOnADevice, Tags) {
  compare<Tagger>("tag", [](const Tagger& tagger) {
    std::vector<std::pair<std::string, double>> spans;
    for (const auto& text : tagger.tag(texts_of(Expected("tag")))) {
      for (const TaggedSpan& span : text) spans.emplace_back(span.label, span.score);
    }
    return spans;
  });
}

TEST(ApplyOnADevice, Fills) {
  compare<Filler>("fill", [](const Filler& filler) {
    std::vector<std::pair<int32_t, double>> best;
    for (const auto& text : filler.fill(texts_of(Expected("fill")), 4)) {
      for (const FilledMask& mask : text) {
        for (const Filling& one : mask.best) best.emplace_back(one.id, one.score);
      }
    }
    return best;
  });
}

TEST(ApplyOnADevice, Answers) {
  compare<Answerer>("answer", [](const Answerer& answerer) {
    std::vector<std::pair<double, uint64_t>> found;
    const Expected expected("answer");
    for (const Expected::Value value : expected.cases()) {
      const std::vector<QuestionInput> question = {{text_of(value, "question"), text_of(value, "context")}};
      const FoundAnswer answer = answerer.answer(question, {.window = 20, .overlap = 6})[0];
      found.emplace_back(answer.score, answer.bytes.begin);
    }
    return found;
  });
}

TEST(ApplyOnADevice, Writes) {
  compare<Writer>("write", [](const Writer& writer) {
    WriteOptions options = writer.defaults();
    options.max_tokens = 12;
    return writer.write(texts_of(Expected("write"), "prompt"), options);
  });
  compare<Writer>("translate", [](const Writer& writer) {
    return writer.write(texts_of(Expected("translate")), writer.defaults());
  });
}

}  // namespace
}  // namespace locus
