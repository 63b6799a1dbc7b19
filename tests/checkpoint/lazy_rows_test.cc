// Models with lazily loaded token embeddings.
#include "locus/checkpoint/lazy_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "locus/nn/generate.h"
#include "locus/nn/transformer.h"
#include "locus/op/convert.h"
#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t kUsed[] = {5, 3, 5, 7}, kUnused = 4;

// Fills the table with NaN first, so that the use of a row that was not loaded shows in every result.
ModelFolder open_lazy(const fs::path& path) {
  ModelFolder folder = open_model(path, {.lazy_tokens = true});
  if (!folder.model.transformer().has_all_tokens()) {
    Tensor table = folder.model.transformer().tokens().value();
    table.fill(kNothing);
  }
  return folder;
}

std::vector<float> states(const ModelFolder& folder, const std::vector<int32_t>& ids) {
  const NoGrad no_grad;
  const Model& model = folder.model;
  const Tokens tokens = tokens_of({ids}, model.blueprint());
  return (model.blueprint().kind == ModelKind::encoder_decoder ? model(tokens, tokens) : model(tokens))
      .value()
      .values();
}
std::vector<float> states(const ModelFolder& folder) {
  return states(folder, {std::begin(kUsed), std::end(kUsed)});
}

std::vector<float> row(const ModelFolder& folder, int32_t id) {
  return folder.model.transformer().tokens().value().rows(id, id + 1).values();
}

TEST(LazyRows, GiveEveryFamilyTheSameBits) {
  int lazy = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(LOCUS_GOLDEN) / "family")) {
    const ModelFolder whole = open_model(entry.path()), folder = open_lazy(entry.path());
    const Blueprint& b = whole.model.blueprint();
    EXPECT_EQ(folder.model.transformer().has_all_tokens(), b.head.tied && predicts_tokens(b.head.kind))
        << entry.path();
    EXPECT_EQ(states(folder), states(whole)) << entry.path();
    if (folder.model.transformer().has_all_tokens()) continue;
    ++lazy;
    EXPECT_TRUE(std::isnan(row(folder, kUnused)[0])) << entry.path();
    EXPECT_EQ(row(folder, kUsed[0]), row(whole, kUsed[0])) << entry.path();
  }
  EXPECT_GT(lazy, 20);
}

TEST(LazyRows, AreMadeF32FromWhatTheyAreStoredAs) {
  for (const DType stored : {DType::f16, DType::bf16}) {
    const FolderOf folder("bert-class");
    std::vector<NamedTensor> tensors = folder.tensors();
    for (auto& [name, tensor] : tensors) {
      if (tensor.dtype() == DType::f32) tensor = op::convert(tensor, stored);
    }
    folder.write(tensors);
    EXPECT_EQ(states(open_lazy(folder.path())), states(open_model(folder.path()))) << name_of(stored);
  }
}

TEST(LazyRows, ComeFromTheirShard) {
  const FolderOf folder("bert-class");
  const std::vector<float> whole = states(open_model(folder.path()));
  folder.shard();
  EXPECT_EQ(states(open_lazy(folder.path())), whole);
}

TEST(LazyRows, CanBeLoadedByConcurrentThreads) {
  const fs::path path = fs::path(LOCUS_GOLDEN) / "family/bert-class";
  const ModelFolder whole = open_model(path), folder = open_lazy(path);
  std::vector<std::jthread> all;
  for (int32_t first = 0; first < 4; ++first) {
    all.emplace_back([&, first] {
      for (int32_t i = first; i < first + 8; ++i) {
        EXPECT_EQ(states(folder, {i, i + 1, i + 2}), states(whole, {i, i + 1, i + 2}));
      }
    });
  }
}

TEST(LazyRows, CanBeLoadedAfterTheFileWasRemovedOrReplaced) {
  const FolderOf folder("bert-class");
  const ModelFolder whole = open_model(folder.path()), lazy = open_lazy(folder.path());
  std::vector<NamedTensor> tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) tensor.fill(0);
  folder.write(tensors);  // written to a new file that is renamed
  EXPECT_EQ(states(lazy), states(whole));
  fs::remove(folder / "model.safetensors");
  EXPECT_EQ(states(lazy, {1, 2}), states(whole, {1, 2}));
}

TEST(LazyRows, RefuseAFileThatWasWrittenTo) {
  const FolderOf folder("bert-class");
  const ModelFolder whole = open_model(folder.path()), lazy = open_lazy(folder.path());
  states(lazy);
  std::fstream(folder / "model.safetensors", std::ios::in | std::ios::out | std::ios::ate).put('x');
  expect_error(Fault::data, {"model.safetensors"}, [&] { states(lazy, {1}); });
  expect_error(Fault::data, {"model.safetensors"}, [&] { states(lazy, {1}); });
  EXPECT_EQ(states(lazy), states(whole)) << "rows that were loaded before";
  fs::resize_file(folder / "model.safetensors", 100);
  expect_error(Fault::data, Code::damaged_file, {"model.safetensors"}, [&] { states(lazy, {1}); });
}

TEST(LazyRows, RefuseNumbersThatAreNotFinite) {
  const FolderOf folder("bert-class");
  std::vector<NamedTensor> tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) {
    if (name == "bert.embeddings.word_embeddings.weight") tensor.rows(2, 3).fill(kNothing);
  }
  folder.write(tensors);
  const ModelFolder whole = open_model(folder.path()), lazy = open_lazy(folder.path());
  EXPECT_TRUE(lazy.warnings.empty());
  expect_error(Fault::data, Code::damaged_file, {"row 2", "'bert.embeddings.word_embeddings.weight'", "NaN"},
               [&] {
                 states(lazy, {1, 2});
               });
  EXPECT_EQ(states(lazy), states(whole));
}

TEST(LazyRows, IgnoreIdsOutsideTheTable) {
  const ModelFolder lazy = open_lazy(fs::path(LOCUS_GOLDEN) / "family/bert-class");
  for (const int32_t id : {-1, 1 << 20}) {
    expect_error(Fault::data, {"embed", "ids"}, [&] { states(lazy, {1, id}); });
  }
}

TEST(LazyRows, AreNotSaved) {
  const ModelFolder lazy = open_lazy(fs::path(LOCUS_GOLDEN) / "family/bert-class");
  const TemporaryFolder saved;
  expect_error(Fault::data, {"lazy_tokens"}, [&] { save_model(lazy, saved / "folder"); });
  expect_error(Fault::data, {"lazy_tokens"}, [&] { save_model(lazy.model, saved / "folder"); });
  EXPECT_FALSE(fs::exists(saved / "folder"));
}

}  // namespace
}  // namespace locus
