// Weights that do not match config.json. model_folder_test.cc tests other errors in folders.
#include <gtest/gtest.h>

#include <cstring>

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

TEST(MatchTensors, SinusoidalTablesAreIgnored) {
  const FolderOf folder("roformer");
  std::vector<NamedTensor> tensors = folder.tensors();
  tensors.emplace_back("roformer.encoder.embed_positions.weight", Tensor::zeros({14, 4}));
  folder.write(tensors);
  EXPECT_NO_THROW(open_model(folder.path()));
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
  EXPECT_EQ(states.architecture.blueprint.head, HeadKind::none);
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
