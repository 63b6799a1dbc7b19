// Models whose tokens stay in the file until a text has them.
#include "locus/checkpoint/lazy_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "locus/nn/generate.h"
#include "locus/op/convert.h"
#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t kUsed[] = {5, 3, 5, 7}, kUnused = 4;

// What rows were not read shows: the table starts with numbers that no sum gets rid of.
ModelFolder open_late(const fs::path& path) {
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
  int late = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(LOCUS_GOLDEN) / "family")) {
    const ModelFolder whole = open_model(entry.path()), folder = open_late(entry.path());
    const Blueprint& b = whole.model.blueprint();
    EXPECT_EQ(folder.model.transformer().has_all_tokens(), b.tied && tells_tokens(b.head)) << entry.path();
    EXPECT_EQ(states(folder), states(whole)) << entry.path();
    if (folder.model.transformer().has_all_tokens()) continue;
    ++late;
    EXPECT_TRUE(std::isnan(row(folder, kUnused)[0])) << entry.path();
    EXPECT_EQ(row(folder, kUsed[0]), row(whole, kUsed[0])) << entry.path();
  }
  EXPECT_GT(late, 20);
}

TEST(LazyRows, AreMadeF32FromWhatTheyAreStoredAs) {
  for (const DType stored : {DType::f16, DType::bf16}) {
    const FolderOf folder("bert-class");
    std::vector<NamedTensor> tensors = folder.tensors();
    for (auto& [name, tensor] : tensors) {
      if (tensor.dtype() == DType::f32) tensor = op::convert(tensor, stored);
    }
    folder.write(tensors);
    EXPECT_EQ(states(open_late(folder.path())), states(open_model(folder.path()))) << name_of(stored);
  }
}

TEST(LazyRows, ComeFromTheirShard) {
  const FolderOf folder("bert-class");
  const std::vector<float> whole = states(open_model(folder.path()));
  folder.shard();
  EXPECT_EQ(states(open_late(folder.path())), whole);
}

TEST(LazyRows, MayBeAskedForByThreadsAtOnce) {
  const fs::path path = fs::path(LOCUS_GOLDEN) / "family/bert-class";
  const ModelFolder whole = open_model(path), folder = open_late(path);
  std::vector<std::jthread> all;
  for (int32_t first = 0; first < 4; ++first) {
    all.emplace_back([&, first] {
      for (int32_t i = first; i < first + 8; ++i) {
        EXPECT_EQ(states(folder, {i, i + 1, i + 2}), states(whole, {i, i + 1, i + 2}));
      }
    });
  }
}

TEST(LazyRows, AreThereWhenTheFileWasRemovedOrReplaced) {
  const FolderOf folder("bert-class");
  const ModelFolder whole = open_model(folder.path()), late = open_late(folder.path());
  std::vector<NamedTensor> tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) tensor.fill(0);
  folder.write(tensors);  // beside it, and renamed
  EXPECT_EQ(states(late), states(whole));
  fs::remove(folder / "model.safetensors");
  EXPECT_EQ(states(late, {1, 2}), states(whole, {1, 2}));
}

TEST(LazyRows, RefuseAFileThatWasWrittenTo) {
  const FolderOf folder("bert-class");
  const ModelFolder whole = open_model(folder.path()), late = open_late(folder.path());
  states(late);
  std::fstream(folder / "model.safetensors", std::ios::in | std::ios::out | std::ios::ate).put('x');
  const std::initializer_list<const char*> said = {"model.safetensors' was changed since it was opened"};
  expect_error(Fault::data, said, [&] { states(late, {1}); });
  expect_error(Fault::data, said, [&] { states(late, {1}); });
  EXPECT_EQ(states(late), states(whole)) << "rows that were there before";
  fs::resize_file(folder / "model.safetensors", 100);
  expect_error(Fault::data, {"model.safetensors' became shorter while it was read"},
               [&] { states(late, {1}); });
}

TEST(LazyRows, RefuseNumbersThatAreNotFinite) {
  const FolderOf folder("bert-class");
  std::vector<NamedTensor> tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) {
    if (name == "bert.embeddings.word_embeddings.weight") tensor.rows(2, 3).fill(kNothing);
  }
  folder.write(tensors);
  const ModelFolder whole = open_model(folder.path()), late = open_late(folder.path());
  EXPECT_TRUE(late.warnings.empty());
  expect_error(Fault::data,
               {"row 2 of tensor 'bert.embeddings.word_embeddings.weight' holds numbers that are not finite"},
               [&] {
                 states(late, {1, 2});
               });
  EXPECT_EQ(states(late), states(whole));
}

TEST(LazyRows, LeaveIdsOutsideTheTableToWhoeverLooksThemUp) {
  const ModelFolder late = open_late(fs::path(LOCUS_GOLDEN) / "family/bert-class");
  for (const int32_t id : {-1, 1 << 20}) {
    expect_error(Fault::data, {"embed: ids", "expected"}, [&] { states(late, {1, id}); });
  }
}

TEST(LazyRows, AreNotSaved) {
  const ModelFolder late = open_late(fs::path(LOCUS_GOLDEN) / "family/bert-class");
  const TemporaryFolder saved;
  const std::initializer_list<const char*> said = {
      "are still in the file it came from; open it without lazy_tokens"};
  expect_error(Fault::data, said, [&] { save_model(late, saved / "folder"); });
  expect_error(Fault::data, said, [&] { save_model(late.model, saved / "folder"); });
  EXPECT_FALSE(fs::exists(saved / "folder"));
}

}  // namespace
}  // namespace locus
