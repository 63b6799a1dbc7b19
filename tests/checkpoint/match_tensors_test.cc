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

}  // namespace
}  // namespace locus
