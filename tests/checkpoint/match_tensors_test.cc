// Weights that do not match config.json. model_folder_test.cc tests other errors in folders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include "locus/checkpoint/forward.h"
#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

TEST(MatchTensors, ListsTheFirstOfManyProblemsAndCountsAll) {
  const FolderOf folder("bert");
  std::vector<NamedTensor> tensors = folder.tensors();
  for (int i = 0; i < 70; ++i) tensors.emplace_back(fmt::format("zz.{:02}", i), Tensor::zeros({1}));
  folder.write(tensors);
  folder.expect_refused({"70 tensors", "'zz.00' F32 [1]", "'zz.49' F32 [1]\n  .."});
}

TEST(MatchTensors, AShapeOfHighRankIsAbbreviated) {
  const FolderOf folder("bert");
  const std::filesystem::path path = folder.path() / "model.safetensors";
  const std::string bytes = read_file(path);
  uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  std::string header = bytes.substr(8, size);
  const uint64_t data = bytes.size() - 8 - size;
  std::string sizes = "1";
  for (int i = 1; i < 100'000; ++i) sizes += ",1";
  header.resize(header.find_last_of('}'));
  header +=
      fmt::format(R"(,"zz":{{"dtype":"F32","shape":[{}],"data_offsets":[{},{}]}}}})", sizes, data, data + 4);
  size = header.size();
  std::string first(8, '\0');
  std::memcpy(first.data(), &size, sizeof(size));
  put(path, first + header + bytes.substr(bytes.size() - data) + std::string(4, '\0'));
  folder.expect_refused({"'zz' F32 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ... (100000 sizes)]"});
}

TEST(MatchTensors, RefusesTablesOfTokensThatDifferUnderTheirNames) {
  for (const std::string family : {"bart", "marian", "t5"}) {
    const FolderOf folder(family);
    const std::string prefix = family == "t5" ? "" : "model.";
    std::vector<NamedTensor> tensors = folder.tensors();
    const auto table = std::ranges::find(tensors, prefix + "shared.weight", &NamedTensor::first)->second;
    tensors.emplace_back(prefix + "encoder.embed_tokens.weight", table.clone());
    folder.write(tensors);
    EXPECT_NO_THROW(open_model(folder.path())) << family;
    tensors.back().second.data<float>()[7] += 1;
    folder.write(tensors);
    folder.expect_refused({"shared.weight", "encoder.embed_tokens.weight"});
  }
}

// transformers reads these tables, and Locus computes them.
TEST(MatchTensors, RefusesTablesOfSinusoidsThatAreNone) {
  struct Table {
    const char *family, *table;
    int64_t columns;
  };
  for (const auto& [family, table, columns] :
       {Table{"roformer", "roformer.encoder.embed_positions.weight", 6},
        Table{"marian", "model.decoder.embed_positions.weight", 12},
        Table{"pegasus", "model.encoder.embed_positions.weight", 5}}) {
    SCOPED_TRACE(family);
    const FolderOf folder(family);
    std::vector<NamedTensor> tensors = folder.tensors();
    std::erase_if(tensors, [&, name = std::string(table)](const NamedTensor& t) { return t.first == name; });
    const int64_t sines = (columns + 1) / 2;
    Tensor sinusoids = Tensor::zeros({14, columns});
    for (int64_t i = 0; i < sinusoids.numel(); ++i) {
      const int64_t column = i % columns, pair = column % sines;
      const double angle = static_cast<double>(i / columns) /
                           std::pow(10000, 2.0 * static_cast<double>(pair) / static_cast<double>(columns));
      sinusoids.data<float>()[static_cast<size_t>(i)] =
          static_cast<float>(column < sines ? std::sin(angle) : std::cos(angle));
    }
    tensors.emplace_back(table, sinusoids);
    folder.write(tensors);
    EXPECT_NO_THROW(open_model(folder.path()));
    sinusoids.data<float>()[static_cast<size_t>(columns)] += 0.01f;
    folder.write(tensors);
    folder.expect_refused({table, "sinusoids"});
  }
}

TEST(MatchTensors, RefusesASecondBiasThatDiffers) {
  for (const auto& [family, bias, second] :
       {std::tuple("bert", "cls.predictions.bias", "cls.predictions.decoder.bias"),
        {"roberta", "lm_head.bias", "lm_head.decoder.bias"}}) {
    SCOPED_TRACE(family);
    const FolderOf folder(family);
    std::vector<NamedTensor> tensors = folder.tensors();
    std::erase_if(tensors, [name = std::string(second)](const NamedTensor& t) { return t.first == name; });
    tensors.emplace_back(second, std::ranges::find(tensors, bias, &NamedTensor::first)->second.clone());
    folder.write(tensors);
    EXPECT_NO_THROW(open_model(folder.path()));
    tensors.back().second.data<float>()[3] += 1;
    folder.write(tensors);
    folder.expect_refused({bias, second});
    tensors.back().second.data<float>()[3] -= 1;
    tensors.emplace_back(
        family == std::string("bert") ? "cls.predictions.decoder.weight" : "lm_head.decoder.weight",
        Tensor::zeros({29, 12}));
    tensors[tensors.size() - 2].second.data<float>()[3] += 1;
    folder.write(tensors);
    EXPECT_NO_THROW(open_model(folder.path())) << "a head of its own has the second bias";
  }
}

TEST(MatchTensors, RefusesTheOldAndTheNewNameOfANormThatDiffer) {
  const FolderOf folder("bert");
  const std::string name = "bert.embeddings.LayerNorm.weight", old = "bert.embeddings.LayerNorm.gamma";
  std::vector<NamedTensor> tensors = folder.tensors();
  tensors.emplace_back(old, std::ranges::find(tensors, name, &NamedTensor::first)->second.clone());
  folder.write(tensors);
  EXPECT_NO_THROW(open_model(folder.path()));
  tensors.back().second.data<float>()[3] += 1;
  folder.write(tensors);
  folder.expect_refused({name.c_str(), old.c_str()});
}

// Most ELECTRA folders are discriminators, whose head detects replaced tokens.
TEST(MatchTensors, TheHeadOfADiscriminatorIsIgnored) {
  const FolderOf folder("electra-class");
  const ForwardInputs inputs = {.input_ids = Tensor::of({1, 3}, std::vector<int32_t>{4, 9, 7})};
  ModelFolder labels = open_model(folder.path());
  folder.change("ElectraForSequenceClassification", "ElectraForPreTraining");
  std::vector<NamedTensor> tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) {
    if (name.starts_with("classifier.dense.")) name.replace(0, 10, "discriminator_predictions");
    if (name.starts_with("classifier.out_proj."))
      name.replace(0, 19, "discriminator_predictions.dense_prediction");
  }
  folder.write(tensors);
  ModelFolder states = open_model(folder.path());
  EXPECT_EQ(states.architecture.blueprint.head.kind, HeadKind::none);
  EXPECT_EQ(forward(states, inputs, false)[0].second.values(),
            forward(labels, inputs, false)[0].second.values());
  for (auto& [name, tensor] : tensors) {
    if (name == "discriminator_predictions.dense.bias") name = "electra.predictions.dense.bias";
  }
  folder.write(tensors);
  folder.expect_refused({"'electra.predictions.dense.bias'", "F32 [12]"});
}

}  // namespace
}  // namespace locus
