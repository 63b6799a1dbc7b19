// Weights that are not those of config.json. What else a folder may have wrong is model_folder_test.cc's
// subject.
#include <gtest/gtest.h>

#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

TEST(MatchTensors, ListsTheFirstOfManyProblemsAndCountsAll) {
  const FolderOf folder("bert");
  std::vector<NamedTensor> tensors = folder.tensors();
  for (int i = 0; i < 70; ++i) tensors.emplace_back(fmt::format("zz.{:02}", i), Tensor::zeros({1}));
  folder.write(tensors);
  folder.expect_refused(
      {"do not fit together: 70 tensors\n  unknown: 'zz.00' F32 [1]\n", "unknown: 'zz.49' F32 [1]\n  .."});
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
    folder.expect_refused(
        {"shared.weight' and '", "encoder.embed_tokens.weight' differ, expected the same numbers"});
  }
}

}  // namespace
}  // namespace locus
