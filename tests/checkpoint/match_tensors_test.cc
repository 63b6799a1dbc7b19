// Weights that do not match config.json. model_folder_test.cc tests other errors in folders.
#include <gtest/gtest.h>

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
