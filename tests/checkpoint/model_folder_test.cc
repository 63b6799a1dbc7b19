// Model folders with errors, and unusual ones without.
#include "locus/checkpoint/model_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "locus/op/convert.h"
#include "locus/tensor/storage.h"
#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

const Tensor& first_of(const ModelFolder& folder) { return folder.model.parameters().all()[0].var.value(); }

TEST(ModelFolder, OpensShardsAsTheWhole) {
  const FolderOf folder("bert");
  const std::vector<float> whole = first_of(open_model(folder.path())).values();
  folder.shard();
  EXPECT_EQ(first_of(open_model(folder.path())).values(), whole);
}

TEST(ModelFolder, OpensASnapshotOfTheHuggingFaceCache) {
  const FolderOf source("bert");
  source.shard();
  const TemporaryFolder cache;
  const fs::path snapshot = cache / "snapshots/abc";
  fs::create_directories(snapshot);
  fs::create_directories(cache / "blobs");
  for (const auto& entry : fs::directory_iterator(source.path())) {
    fs::copy(entry.path(), cache / "blobs" / entry.path().filename());
    fs::create_symlink(fs::path("../../blobs") / entry.path().filename(), snapshot / entry.path().filename());
  }
  EXPECT_NO_THROW(open_model(snapshot));
}

TEST(ModelFolder, RefusesAMissingShard) {
  const FolderOf folder("bert");
  folder.shard();
  fs::remove(folder / "two.safetensors");
  folder.expect_refused({"model.safetensors.index.json", "1 problem", "'two.safetensors'"});
}

TEST(ModelFolder, RefusesATruncatedShard) {
  const FolderOf folder("bert");
  folder.shard();
  fs::resize_file(folder / "two.safetensors", fs::file_size(folder / "two.safetensors") - 1);
  folder.expect_refused({"two.safetensors"}, Code::damaged_file);
}

TEST(ModelFolder, RefusesShardsOutsideTheFolder) {
  for (const std::string name : {"/etc/passwd", "../one.safetensors", "sub/one.safetensors", "..", ""}) {
    const FolderOf folder("bert");
    folder.shard([&](std::map<std::string, std::string>& map) { map.begin()->second = name; });
    folder.expect_refused({"shard", name.c_str()});
  }
}

TEST(ModelFolder, RefusesAShardThatIsALinkOutOfTheFolder) {
  const FolderOf folder("bert"), other("bert");
  folder.shard();
  other.shard();
  fs::remove(folder / "two.safetensors");
  fs::create_symlink(other / "two.safetensors", folder / "two.safetensors");
  folder.expect_refused({"'two.safetensors'", (other / "two.safetensors").c_str()});
}

TEST(ModelFolder, RefusesATensorThatIsInTheMapButInNoShard) {
  const FolderOf folder("bert");
  folder.shard([](std::map<std::string, std::string>& map) { map["bert.ghost"] = "one.safetensors"; });
  folder.expect_refused({"'bert.ghost'", "'one.safetensors'"});
}

TEST(ModelFolder, RefusesATensorInTwoShards) {
  const FolderOf folder("bert");
  folder.shard();
  fs::copy_file(folder / "one.safetensors", folder / "two.safetensors", fs::copy_options::overwrite_existing);
  folder.expect_refused({"two", "'one.safetensors'", "'two.safetensors'"});
}

TEST(ModelFolder, RefusesAnInvalidIndex) {
  const FolderOf folder("bert");
  folder.shard();
  put(folder / "model.safetensors.index.json", R"({"weight_map": ["one.safetensors"]})");
  folder.expect_refused({"weight_map", "list", "1", "object"});
  put(folder / "model.safetensors.index.json", R"({"weight_map": {"a": 3}})");
  folder.expect_refused({"weight_map.a", "3", "string"});
  put(folder / "model.safetensors.index.json", R"({"weight_map": {}})");
  folder.expect_refused({"weight_map"});
}

TEST(ModelFolder, RefusesPickleFilesWithAHint) {
  const FolderOf folder("bert");
  fs::rename(folder / "model.safetensors", folder / "pytorch_model.bin");
  folder.expect_refused({"pytorch_model.bin", "model.safetensors", "save_pretrained(folder)"},
                        Code::missing_file);
}

TEST(ModelFolder, RefusesAFolderWithoutWeights) {
  const FolderOf folder("bert");
  fs::remove(folder / "model.safetensors");
  folder.expect_refused({"model.safetensors", "model.safetensors.index.json"}, Code::missing_file);
}

TEST(ModelFolder, ListsMissingExtraAndMisshapenTensorsTogether) {
  const FolderOf folder("bert");
  std::vector<NamedTensor> tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) {
    if (name == "bert.encoder.layer.1.output.dense.bias") name = "bert.encoder.layer.7.output.dense.bias";
    if (name == "bert.embeddings.word_embeddings.weight") tensor = Tensor::zeros({31, 12});
  }
  folder.write(tensors);
  folder.expect_refused({"config.json", "3 tensors", "missing: bert.encoder.layer.1.output.dense.bias [12]",
                         "'bert.embeddings.word_embeddings.weight'", "F32 [31, 12]",
                         "F32, BF16, F16 or F64 [29, 12]",
                         "unknown: 'bert.encoder.layer.7.output.dense.bias' F32 [12]"});
}

TEST(ModelFolder, RefusesWholeNumbersAsWeights) {
  const FolderOf folder("bert");
  std::vector<NamedTensor> tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) {
    if (name == "cls.predictions.bias") tensor = Tensor::zeros({29}, DType::i32);
  }
  folder.write(tensors);
  folder.expect_refused({"'cls.predictions.bias'", "I32 [29]", "F32, BF16, F16 or F64 [29]"});
}

TEST(ModelFolder, IgnoresHarmlessLeftovers) {
  const FolderOf folder("gpt2");
  std::vector<NamedTensor> tensors = folder.tensors();
  tensors.emplace_back("transformer.h.0.attn.bias", Tensor::zeros({1, 1, 14, 14}, DType::boolean));
  tensors.emplace_back("transformer.h.0.attn.masked_bias", Tensor::zeros({}));
  folder.write(tensors);
  EXPECT_NO_THROW(open_model(folder.path()));
  const FolderOf other("bert");
  tensors = other.tensors();
  tensors.emplace_back("bert.embeddings.position_ids", Tensor::zeros({1, 14}, DType::i64));
  tensors.emplace_back("cls.seq_relationship.weight", Tensor::zeros({2, 12}));
  tensors.emplace_back("bert.pooler.dense.weight", Tensor::zeros({12, 12}));
  other.write(tensors);
  EXPECT_NO_THROW(open_model(other.path()));
  const FolderOf shared("albert");
  shared.change("AlbertForMaskedLM", "AlbertForPreTraining");
  tensors = shared.tensors();
  tensors.emplace_back("albert.pooler.weight", Tensor::zeros({12, 12}));
  tensors.emplace_back("sop_classifier.classifier.weight", Tensor::zeros({2, 12}));
  shared.write(tensors);
  EXPECT_NO_THROW(open_model(shared.path()));
}

TEST(ModelFolder, UnderstandsOldNamesAndNamesWithoutThePrefix) {
  const FolderOf folder("bert");
  const std::vector<float> wanted = first_of(open_model(folder.path())).values();
  std::vector<NamedTensor> tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) {
    const bool norm = name.find("LayerNorm") != std::string::npos;
    if (norm) name = name.substr(0, name.rfind('.')) + (name.ends_with("weight") ? ".gamma" : ".beta");
    if (name.starts_with("bert.")) name = name.substr(5);
  }
  folder.write(tensors);
  const ModelFolder opened = open_model(folder.path());
  EXPECT_EQ(first_of(opened).values(), wanted);
  EXPECT_EQ(opened.bindings[0].tensor, "embeddings.word_embeddings.weight");
}

TEST(ModelFolder, ConvertsHalfPrecisionWeights) {
  for (const DType dtype : {DType::bf16, DType::f16, DType::f64}) {
    const FolderOf folder("gpt2");  // has transposed weights
    const ModelFolder whole = open_model(folder.path());
    std::vector<NamedTensor> tensors = folder.tensors();
    for (auto& [name, tensor] : tensors) {
      const Tensor stored = Tensor::empty(tensor.shape(), dtype);
      const std::vector<float> values = tensor.values();
      visit_float(dtype, [&]<class T>(T) {
        for (size_t i = 0; i < values.size(); ++i) {
          if constexpr (std::is_same_v<T, Bf16>) stored.data<T>()[i] = to_bf16(values[i]);
          if constexpr (std::is_same_v<T, F16>) stored.data<T>()[i] = to_f16(values[i]);
          if constexpr (std::is_same_v<T, double>) stored.data<T>()[i] = values[i];
        }
      });
      tensor = stored;
    }
    folder.write(tensors);
    const ModelFolder opened = open_model(folder.path());
    const double step = dtype == DType::bf16 ? 0x1p-8 : dtype == DType::f16 ? 0x1p-11 : 0;  // half an ulp
    for (size_t p = 0; p < whole.model.parameters().all().size(); ++p) {
      const std::vector<float> got = opened.model.parameters().all()[p].var.value().values();
      const std::vector<float> wanted = whole.model.parameters().all()[p].var.value().values();
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], wanted[i], step * std::abs(wanted[i]) + 1e-7 * step);
    }
  }
}

// For every stored type, and for weights that are joined, transposed or reordered on reading. Parameters that
// are not weights of linear layers stay f32. No temporary f32 copy is made.
TEST(ModelFolder, OpensWeightsAsBf16) {
  for (const char* family : {"bert", "gpt2", "neox", "deberta", "t5"}) {
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      const FolderOf folder(family);
      std::vector<NamedTensor> tensors = folder.tensors();
      for (auto& [name, tensor] : tensors) tensor = op::convert(tensor, dtype);
      folder.write(tensors);
      const ModelFolder whole = open_model(folder.path());
      reset_peak_bytes();
      const int64_t before = allocated_bytes();
      const ModelFolder opened = open_model(folder.path(), {.weights = DType::bf16});
      int64_t bytes = 0, halves = 0;
      for (size_t p = 0; p < whole.model.parameters().all().size(); ++p) {
        const auto& [name, var, role, owner] = opened.model.parameters().all()[p];
        const Tensor &got = var.value(), &wanted = whole.model.parameters().all()[p].var.value();
        bytes += got.numel() * size_of(got.dtype()) + kAlignment;
        halves += got.dtype() == DType::bf16;
        const bool linear =
            name.ends_with(".weight") && got.shape().rank() == 2 && name.find("scheme") == name.npos;
        EXPECT_EQ(got.dtype() == DType::bf16, linear || name == "tokens") << name;
        EXPECT_FALSE(var.wants_grad()) << name;
        EXPECT_EQ(got.values(), op::convert(wanted, got.dtype()).values()) << family << " " << name;
      }
      EXPECT_GT(halves, 3) << family;
      EXPECT_LE(peak_bytes() - before, bytes) << family;
    }
  }
}

TEST(ModelFolder, ABf16OneIsNotSaved) {
  const ModelFolder folder = open_model(FolderOf("bert").path(), {.weights = DType::bf16});
  const TemporaryFolder saved;
  expect_error(Fault::data, {"bf16", "f32"}, [&] { save_model(folder, saved.path()); });
  expect_error(Fault::data, {"Model", "f16", "f32", "bf16"},
               [] { open_model(FolderOf("bert").path(), {.weights = DType::f16}); });
}

TEST(ModelFolder, WarnsOfWeightsThatAreNotFinite) {
  const FolderOf folder("bert");
  std::vector<NamedTensor> tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) {
    if (name == "cls.predictions.bias") tensor.data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
  }
  folder.write(tensors);
  const ModelFolder opened = open_model(folder.path());
  ASSERT_EQ(opened.warnings.size(), 1u);
  EXPECT_NE(opened.warnings[0].find("'cls.predictions.bias'"), std::string::npos) << opened.warnings[0];
  // In bf16, a number above its maximum is infinite, too.
  for (auto& [name, tensor] : tensors) {
    if (name == "cls.predictions.transform.dense.weight") tensor.data<float>()[5] = 3.4e38f;
  }
  folder.write(tensors);
  EXPECT_EQ(open_model(folder.path()).warnings.size(), 1u);
  EXPECT_EQ(open_model(folder.path(), {.weights = DType::bf16}).warnings.size(), 2u);
}

TEST(ModelFolder, KeepsTokenizerAndSentenceFilesWhenItIsSavedAgain) {
  const FolderOf folder("bert");
  const char* const kept[] = {"vocab.txt", "tokenizer_config.json", "modules.json",
                              "sentence_bert_config.json", "1_Pooling/config.json"};
  fs::create_directory(folder / "1_Pooling");
  for (const char* name : kept) put(folder / name, std::string("contents of ") + name);
  put(folder / "modules.json", R"([{"type": "models.Pooling", "path": "1_Pooling"}])");
  put(folder / "notes.txt", "not used by any program");
  const TemporaryFolder saved;
  save_model(open_model(folder.path()), saved.path());
  for (const char* name : kept) EXPECT_EQ(read_file(saved / name), read_file(folder / name)) << name;
  EXPECT_FALSE(fs::exists(saved / "notes.txt"));
}

// Also for weights that are joined, transposed or stored in another order.
TEST(ModelFolder, TakesNoMoreTensorsThanItsWeightsWhileItIsOpened) {
  for (const char* family : {"bert", "gpt2", "neox", "deberta", "t5"}) {
    const FolderOf folder(family);
    reset_peak_bytes();
    const int64_t before = allocated_bytes();
    const ModelFolder opened = open_model(folder.path());
    const Parameters& parameters = opened.model.parameters();
    const auto padding =
        static_cast<int64_t>(kAlignment * parameters.all().size());  // of the last cache line of each
    EXPECT_LE(peak_bytes() - before, 4 * parameters.numel() + padding) << family;
  }
}

TEST(ModelFolder, ReportsProgress) {
  const FolderOf folder("bert");
  uint64_t last = 0, whole = 0;
  const auto progress = [&](uint64_t done, uint64_t all) {
    EXPECT_GT(done, last);
    last = done;
    whole = all;
  };
  open_model(folder.path(), {.progress = progress});
  EXPECT_EQ(last, whole);
  EXPECT_GT(whole, 0u);
}

TEST(ModelFolder, UntiesATiedHeadIfTheFilesHaveASeparateOne) {
  EXPECT_FALSE(open_model(fs::path(LOCUS_GOLDEN) / "family/t5-v11").architecture.blueprint.head.tied);
  const FolderOf folder("t5-v11");
  std::vector<NamedTensor> tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) {
    if (name == "lm_head.weight")
      tensor = SafetensorsFile(folder / "model.safetensors").read("shared.weight");
  }
  folder.write(tensors);
  EXPECT_TRUE(open_model(folder.path()).architecture.blueprint.head.tied);
}

// Folders of sentence-transformers may name a class with a head, but contain only the base model.
TEST(ModelFolder, OpensWithoutAHeadIfTheWeightsHaveNone) {
  const FolderOf folder("bert");
  std::vector<NamedTensor> body = folder.tensors();
  std::erase_if(body, [](const NamedTensor& tensor) { return tensor.first.starts_with("cls."); });
  folder.write(body);
  const ModelFolder opened = open_model(folder.path());
  EXPECT_EQ(opened.architecture.blueprint.head.kind, HeadKind::none);
  ASSERT_EQ(opened.warnings.size(), 1u);
  EXPECT_NE(opened.warnings[0].find("BertForMaskedLM"), std::string::npos) << opened.warnings[0];
  save_model(opened, folder / "again");
  EXPECT_TRUE(open_model(folder / "again").warnings.empty());
  body.pop_back();  // more than the head
  folder.write(body);
  expect_bad_data({"missing"}, [&] { open_model(folder.path()); });
}

TEST(ModelFolder, ABaseModelIgnoresTheHeadInTheFiles) {
  const FolderOf folder("bert");
  folder.change("BertForMaskedLM", "BertModel");
  EXPECT_EQ(open_model(folder.path()).architecture.blueprint.head.kind, HeadKind::none);
}

}  // namespace
}  // namespace locus
