#include "locus/apply/embedder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "locus/checkpoint/safetensors.h"
#include "tests/apply/expected.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

// Makes the folder one of sentence-transformers, with a pooling and maybe a last step.
void add_modules(const CopyOf& folder, const std::string& mode, bool normalize) {
  const std::string last =
      R"(, {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"})";
  put(folder / "modules.json", R"([{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"})" +
                                   (normalize ? last : "") + "]");
  std::filesystem::create_directory(folder / "1_Pooling");
  put(folder / "1_Pooling/config.json", R"({"pooling_mode_)" + mode + R"(": true})");
}

void expect_vectors(const std::filesystem::path& folder, const char* kind, const char* job = "embed",
                    std::string_view prompt = {}) {
  const Expected expected(job);
  const Embedder embedder(folder);
  const std::vector<std::string> texts = texts_of(expected);
  const Tensor vectors = embedder.embed(texts, {}, prompt);
  ASSERT_EQ(vectors.shape(), Shape({static_cast<int64_t>(texts.size()), 12}));
  size_t place = 0;
  for (const Expected::Value value : expected.cases()) {
    for (const float wanted : numbers_of(value, kind)) {
      EXPECT_NEAR(vectors.data<float>()[place++], wanted, kNear) << kind << ": " << text_of(value, "text");
    }
  }
}

TEST(Embedder, PoolsAsTheFolderDefines) {
  expect_vectors(golden_model("embed"), "mean");
  const CopyOf folder("embed");
  add_modules(folder, "mean_tokens", true);
  expect_vectors(folder.path(), "mean_normalized");
  add_modules(folder, "cls_token", false);
  expect_vectors(folder.path(), "first");
  add_modules(folder, "lasttoken", false);
  expect_vectors(folder.path(), "last");
}

TEST(Embedder, ADecoderPoolsItsLastStateIfTheFolderDefinesThat) {
  expect_vectors(golden_model("embed_last"), "plain", "embed_last");
  expect_vectors(golden_model("embed_last"), "query", "embed_last", "query");
  expect_vectors(golden_model("embed_last"), "document", "embed_last", "document");
}

// Adds a dense layer from 12 to 2 features, in the folder 2_Dense.
void add_dense(const CopyOf& folder, const std::string& settings, const std::vector<NamedTensor>& weights) {
  put(folder / "modules.json", R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])");
  std::filesystem::create_directory(folder / "1_Pooling");
  put(folder / "1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true})");
  std::filesystem::create_directory(folder / "2_Dense");
  put(folder / "2_Dense/config.json", settings);
  write_safetensors(folder / "2_Dense/model.safetensors", weights);
}

std::vector<NamedTensor> two_rows() {
  std::vector<float> weight(24);
  for (size_t i = 0; i < weight.size(); ++i) weight[i] = 0.1f * static_cast<float>(i % 7) - 0.25f;
  return {{"linear.weight", Tensor::of({2, 12}, weight)}, {"linear.bias", Tensor::of({2}, {0.5f, -0.25f})}};
}

TEST(Embedder, ADenseLayerFollowsPooling) {
  const CopyOf folder("embed");
  const std::vector<NamedTensor> weights = two_rows();
  add_dense(folder, R"({"in_features": 12, "out_features": 2, "bias": true,
                        "activation_function": "torch.nn.modules.activation.Tanh"})",
            weights);
  const Expected expected("embed");
  const Embedder embedder(folder.path());
  EXPECT_EQ(embedder.width(), 2);
  const Tensor vectors = embedder.embed(texts_of(expected));
  size_t place = 0;
  for (const Expected::Value value : expected.cases()) {
    const std::vector<float> mean = numbers_of(value, "mean");
    for (size_t r = 0; r < 2; ++r) {
      double sum = weights[1].second.data<float>()[r];
      for (size_t c = 0; c < 12; ++c) sum += double{weights[0].second.data<float>()[r * 12 + c]} * mean[c];
      EXPECT_NEAR(vectors.data<float>()[place++], std::tanh(sum), kNear);
    }
  }
}

TEST(Embedder, TheBitsOfATextDoNotDependOnItsBatch) {
  const Embedder embedder(golden_model("embed"));
  const std::vector<std::string> texts = texts_of(Expected("embed"));
  const std::vector<float> all = embedder.embed(texts).values();
  const std::vector<float> small = embedder.embed(texts, {.batch_tokens = 1}).values();
  EXPECT_EQ(all, small);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::vector<float> alone = embedder.embed(std::span(texts).subspan(i, 1)).values();
    EXPECT_EQ(alone, std::vector<float>(all.begin() + 12 * i, all.begin() + 12 * (i + 1))) << texts[i];
  }
}

TEST(Embedder, NoTextsAreNoVectors) {
  EXPECT_EQ(Embedder(golden_model("embed")).embed({}).shape(), Shape({0, 12}));
}

TEST(Embedder, ATextThatIsTooLongIsAnErrorOrTruncated) {
  const Embedder embedder(golden_model("embed"));
  std::string words = "dog", cut = "dog";
  for (int i = 1; i < 60; ++i) words += " dog";
  for (int i = 1; i < 38; ++i) cut += " dog";
  const std::vector<std::string> texts = {"ran", words, "sat"}, fitting = {"ran", cut, "sat"};
  expect_error(Fault::data, Code::context_too_long, {"text 2", "62", "40"}, [&] { embedder.embed(texts); });
  EXPECT_EQ(embedder.embed(texts, {.truncate = true}).values(), embedder.embed(fitting).values());
}

TEST(Embedder, InvalidTextsAreReportedAndSkipped) {
  const Embedder embedder(golden_model("embed"));
  const std::vector<std::string> texts = {std::string(100, '.'), "ran", std::string(90, '!')};
  std::vector<size_t> bad;
  ReadOptions options;
  options.on_bad = [&](size_t text, const Error& error) {
    bad.push_back(text);
    EXPECT_EQ(error.fault(), Fault::data);
  };
  const Tensor vectors = embedder.embed(texts, options);
  EXPECT_EQ(bad, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(vectors.rows(0, 1).values(), std::vector<float>(12, 0));
  EXPECT_EQ(vectors.rows(1, 2).values(), embedder.embed(std::vector<std::string>{"ran"}).values());
}

TEST(Embedder, LimitsOfTheFoldersFiles) {
  const CopyOf folder("embed");
  put(folder / "tokenizer_config.json", R"({"model_max_length": 1000000000000000019884624838656})");
  EXPECT_EQ(Embedder(folder.path()).model().longest(), 40);
  put(folder / "tokenizer_config.json", R"({"model_max_length": 30})");
  EXPECT_EQ(Embedder(folder.path()).model().longest(), 30);
  put(folder / "sentence_bert_config.json", R"({"max_seq_length": 20, "do_lower_case": false})");
  EXPECT_EQ(Embedder(folder.path()).model().longest(), 20);
  put(folder / "sentence_bert_config.json", R"({"max_seq_length": 512})");
  EXPECT_EQ(Embedder(folder.path()).model().longest(), 30);
  std::filesystem::remove(folder / "sentence_bert_config.json");
  put(folder / "sentence_xlm-roberta_config.json", R"({"max_seq_length": 10})");
  EXPECT_EQ(Embedder(folder.path()).model().longest(), 10) << "the older name of the file";
}

TEST(Embedder, ASavedCopyOfAFolderGivesTheSameVectors) {
  const CopyOf folder("embed");
  add_modules(folder, "cls_token", true);
  std::filesystem::rename(folder / "1_Pooling", folder / "pooled");
  std::string modules = read_file(folder / "modules.json");
  put(folder / "modules.json", modules.replace(modules.find("1_Pooling"), 9, "pooled"));
  save_model(open_model(folder.path()), folder / "again");
  const std::vector<std::string> texts = {"the dog"};
  EXPECT_EQ(Embedder(folder / "again").embed(texts).values(), Embedder(folder.path()).embed(texts).values());
}

TEST(Embedder, TheDefaultPromptIsPutBeforeEveryText) {
  const CopyOf folder("embed");
  const std::vector<std::string> texts = {"ran"}, whole = {"who is ran"};
  const std::vector<float> wanted = Embedder(folder.path()).embed(whole).values();
  put(folder / "config_sentence_transformers.json", R"({"__version__": {"pytorch": "1.8.1"}})");
  EXPECT_NE(Embedder(folder.path()).embed(texts).values(), wanted);
  put(folder / "config_sentence_transformers.json", R"({"prompts": {"query": "who is "}})");
  EXPECT_NE(Embedder(folder.path()).embed(texts).values(), wanted);
  put(folder / "config_sentence_transformers.json",
      R"({"prompts": {"query": "who is "}, "default_prompt_name": "query"})");
  EXPECT_EQ(Embedder(folder.path()).embed(texts).values(), wanted);
}

TEST(Embedder, TextsAreLowercasedIfTheFolderDefinesThat) {
  const CopyOf folder("embed");
  std::string tokenizer = read_file(folder / "tokenizer.json");
  const std::string lowers = R"("lowercase":true)";
  put(folder / "tokenizer.json",
      tokenizer.replace(tokenizer.find(lowers), lowers.size(), R"("lowercase":false)"));
  const std::vector<std::string> texts = {"The DOG"}, small = {"the dog"};
  const std::vector<float> wanted = Embedder(folder.path()).embed(small).values();
  EXPECT_NE(Embedder(folder.path()).embed(texts).values(), wanted);
  put(folder / "sentence_bert_config.json", R"({"do_lower_case": true})");
  EXPECT_EQ(Embedder(folder.path()).embed(texts).values(), wanted);
}

TEST(EmbedderFaults, Prompts) {
  const std::vector<std::string> texts = {"ran"};
  const CopyOf folder("embed_last");
  expect_error(Fault::usage, Code::unknown_option,
               {"'qurey'", folder.path().c_str(), "'document'", "'query'"},
               [&] { Embedder(folder.path()).embed(texts, {}, "qurey"); });
  expect_error(Fault::usage, Code::unknown_option, {"'query'", golden_model("embed").c_str(), "none"},
               [&] { Embedder(golden_model("embed")).embed(texts, {}, "query"); });
  put(folder / "1_Pooling/config.json", R"({"pooling_mode_lasttoken": true, "include_prompt": false})");
  const Embedder left_out(folder.path());
  EXPECT_NO_THROW(left_out.embed(texts, {}, "document")) << "an empty prompt";
  expect_error(Fault::data, Code::unsupported_field, {"'query'", folder.path().c_str(), "include_prompt"},
               [&] { left_out.embed(texts, {}, "query"); });
  put(folder / "config_sentence_transformers.json", R"({"prompts": {"query": 3}})");
  expect_error(Fault::data, {"prompts.query", "3"}, [&] { Embedder embedder(folder.path()); });
}

void expect_refused(const CopyOf& folder, std::initializer_list<const char*> values) {
  expect_error(Fault::data, values, [&] { Embedder embedder(folder.path()); });
}

TEST(Embedder, PoolingModesByName) {
  const CopyOf folder("embed");
  const std::vector<std::string> texts = {"the dog ran"};
  for (const std::string mode : {"mean", "cls", "lasttoken"}) {
    add_modules(folder, mode == "lasttoken" ? mode : mode + (mode == "cls" ? "_token" : "_tokens"), false);
    const std::vector<float> wanted = Embedder(folder.path()).embed(texts).values();
    for (const char* form : {R"("{}")", R"(["{}"])"}) {
      put(folder / "1_Pooling/config.json",
          fmt::format(R"({{"embedding_dimension": 12, "pooling_mode": {}}})",
                      fmt::format(fmt::runtime(form), mode)));
      EXPECT_EQ(Embedder(folder.path()).embed(texts).values(), wanted) << mode;
    }
  }
  put(folder / "1_Pooling/config.json", R"({"pooling_mode": "max"})");
  expect_refused(folder, {"pooling_mode", "'max'", "mean", "cls", "lasttoken"});
  put(folder / "1_Pooling/config.json", R"({"pooling_mode": ["mean", "cls"]})");
  expect_refused(folder, {"pooling_mode", "list", "mean", "cls", "lasttoken"});
  put(folder / "1_Pooling/config.json", R"({"embedding_dimension": 24})");
  expect_refused(folder, {"embedding_dimension", "24", "12"});
}

TEST(EmbedderFaults, SettingsThatWouldChangeTheVectors) {
  const CopyOf folder("embed");
  put(folder / "sentence_bert_config.json", R"({"processing_kwargs": {}, "tokenizer_args": {}})");
  EXPECT_NO_THROW(Embedder(folder.path()));
  put(folder / "sentence_bert_config.json", R"({"processing_kwargs": {"text": {"max_length": 4}}})");
  expect_refused(folder, {"sentence_bert_config.json", "processing_kwargs"});
  put(folder / "sentence_bert_config.json", "{}");
  put(folder / "modules.json", R"([{"type": "x.Transformer", "path": "0_Transformer"}])");
  expect_refused(folder, {"modules.json", "'0_Transformer'"});
}

TEST(EmbedderFaults, Dense) {
  const CopyOf folder("embed");
  add_dense(folder, R"({"in_features": 12, "out_features": 2, "use_residual": true})", two_rows());
  expect_refused(folder, {"use_residual", "true", "false"});
  const std::string right = R"({"in_features": 12, "out_features": 2, "activation_function": "x.Identity"})";
  add_dense(folder, R"({"in_features": 13, "out_features": 2})", two_rows());
  expect_refused(folder, {"in_features", "13", "12"});
  add_dense(folder, R"({"in_features": 12, "out_features": 3})", two_rows());
  expect_refused(folder, {"linear.weight", "[2, 12]", "[3, 12]"});
  add_dense(folder, R"({"in_features": 12, "out_features": 2, "activation_function": "x.Mish"})", two_rows());
  expect_refused(folder, {"activation_function", "'x.Mish'", "Identity", "Tanh", "GELU", "ReLU", "SiLU"});
  add_dense(folder, R"({"in_features": 12, "out_features": 2, "module_input_name": "token_embeddings"})",
            two_rows());
  expect_refused(folder, {"module_input_name", "'token_embeddings'", "sentence_embedding"});
  add_dense(folder, right, {two_rows()[0]});
  expect_refused(folder, {"model.safetensors", "linear.bias"});
  std::vector<NamedTensor> endless = two_rows();
  endless[1].second.fill(std::numeric_limits<double>::infinity());
  add_dense(folder, right, endless);
  expect_refused(folder, {"2_Dense/model.safetensors", "linear.bias"});
  std::filesystem::remove(folder / "2_Dense/model.safetensors");
  expect_refused(folder, {"2_Dense/model.safetensors"});
}

TEST(EmbedderFaults, Modules) {
  const CopyOf folder("embed");
  put(folder / "modules.json", R"([{"type": "sentence_transformers.models.LSTM"}])");
  expect_refused(folder,
                 {"modules.json", "modules.0.type", "LSTM", "Transformer", "Pooling", "Dense", "Normalize"});
  put(folder / "modules.json", R"([{"type": "x.Pooling", "path": "../1_Pooling"}])");
  expect_refused(folder, {"modules.0.path", "../1_Pooling"});
  put(folder / "modules.json", R"([{"type": "x.Pooling", "path": "/etc"}])");
  expect_refused(folder, {"modules.0.path", "/etc"});
  put(folder / "modules.json", "{}");
  expect_refused(folder, {"modules.json", "modules", "object", "list"});
}

TEST(EmbedderFaults, Pooling) {
  const CopyOf folder("embed");
  for (const std::string mode : {"max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens"}) {
    add_modules(folder, mode + R"(": true, "pooling_mode_mean_tokens)", false);
    expect_refused(folder, {"1_Pooling/config.json", ("pooling_mode_" + mode).c_str(), "true", "mean", "cls",
                            "lasttoken"});
  }
  add_modules(folder, R"(cls_token": true, "pooling_mode_mean_tokens)", false);
  expect_refused(folder, {"1_Pooling/config.json", "2", "mean", "cls", "lasttoken"});
  put(folder / "1_Pooling/config.json",
      R"({"pooling_mode_cls_token": true, "word_embedding_dimension": 24})");
  expect_refused(folder, {"word_embedding_dimension", "24", "12"});
  put(folder / "1_Pooling/config.json", R"({"pooling_mode_cls_token": true, "include_prompt": false})");
  EXPECT_NO_THROW(Embedder(folder.path()));
  put(folder / "config_sentence_transformers.json",
      R"({"prompts": {"q": "in "}, "default_prompt_name": "q"})");
  expect_refused(folder, {"include_prompt", "false", "true"});
  put(folder / "config_sentence_transformers.json", R"({"prompts": {}, "default_prompt_name": "q"})");
  expect_refused(folder, {"config_sentence_transformers.json", "prompts.q"});
}

TEST(EmbedderFaults, AModelThatIsNotAnEncoder) {
  expect_error(Fault::data, Code::wrong_head,
               {golden_model("write").c_str(), "decoder", "encoder", "modules.json"},
               [] { Embedder embedder(golden_model("write")); });
  const CopyOf folder("translate");
  add_modules(folder, "mean_tokens", false);
  expect_refused(folder, {folder.path().c_str(), "encoder-decoder"});
}

TEST(EmbedderFaults, ATokenizerOfAnotherModel) {
  const CopyOf folder("embed");
  std::filesystem::copy(golden_model("write") / "tokenizer.json", folder / "tokenizer.json",
                        std::filesystem::copy_options::overwrite_existing);
  const Embedder embedder(folder.path());
  ASSERT_EQ(embedder.model().warnings().size(), 1u);
  for (const char* value : {folder.path().c_str(), "264", "77"}) {
    EXPECT_TRUE(names(embedder.model().warnings()[0], value)) << embedder.model().warnings()[0];
  }
  EXPECT_NO_THROW(embedder.embed(std::vector<std::string>{"!"}));
  expect_error(Fault::data, Code::bad_token, {"'Ġthe'", "259", "77"},
               [&] { embedder.embed(std::vector<std::string>{" the"}); });
}

TEST(EmbedderFaults, NoFolder) {
  expect_error(Fault::io, Code::missing_file, {"'/nowhere'"}, [] { Embedder embedder("/nowhere"); });
  const TemporaryFolder empty;
  expect_error(Fault::data, Code::missing_file, {empty.path().c_str(), "config.json"},
               [&] { Embedder embedder(empty.path()); });
}

}  // namespace
}  // namespace locus
