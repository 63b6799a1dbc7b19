// Models made by Locus, saved as folders of the families that can represent them.
#include <gtest/gtest.h>

#include <cmath>

#include "locus/checkpoint/model_folder.h"
#include "locus/nn/generate.h"
#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

struct Case {
  const char *name, *family;
  Blueprint blueprint;
};

Blueprint base() {
  Blueprint b{.vocabulary = 29, .width = 12, .layers = 2, .max_length = 20, .init_std = 0.3f};
  b.attention.heads = 3;
  return b;
}

Blueprint with(void (*change)(Blueprint&)) {
  Blueprint b = base();
  change(b);
  return b;
}

// RMS norms and no biases, as in T5 and Llama.
void without_biases(Blueprint& b) {
  b.norms.kind = NormKind::rms;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias =
      b.feed_forward.bias = false;
}

void as_llama(Blueprint& b) {
  without_biases(b);
  b.scheme = "rotary";
  b.feed_forward.gated = true;
  b.feed_forward.activation = Activation::silu;
}

void as_gemma(Blueprint& b) {
  as_llama(b);
  b.norms.kind = NormKind::rms_from_one;
  b.feed_forward.activation = Activation::gelu_tanh;
  b.embedding.scale = std::sqrt(static_cast<float>(b.width));
}

void as_cohere(Blueprint& b) {
  as_llama(b);
  b.norms = {.kind = NormKind::layer, .bias = false};
  b.residual = Residual::parallel_one_norm;
  b.scheme_options = {{"pairs", "interleaved"}};
  b.head.scale = 0.25f;
}

void as_bert(Blueprint& b) {
  b.kind = ModelKind::encoder;
  b.head.kind = HeadKind::masked_token;
  b.scheme = "learned";
  b.embedding.segments = 2;
  b.norms = {.place = NormPlace::after, .final = false};
  b.embedding.norm = b.head.dense = b.head.bias = true;
  b.head.pooling = Pooling::first;
}

void as_modernbert(Blueprint& b) {
  b.kind = ModelKind::encoder;
  b.head.kind = HeadKind::masked_token;
  b.scheme = "rotary";
  b.attention.window = 4;
  b.global.every = 2;
  b.feed_forward.gated = b.embedding.norm = b.head.dense = b.head.bias = true;
  b.norms.bias = b.norms.first = b.head.dense_bias = false;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias =
      b.feed_forward.bias = false;
}

void as_deberta(Blueprint& b) {
  as_bert(b);
  b.embedding.segments = 0;
  b.scheme = "deberta";
  b.attention.scale = 1 / std::sqrt(4.0f * 3);  // heads of 4; 3 score terms
}

const Case kCases[] = {
    {"learned", "GPT-2", with([](Blueprint& b) { b.scheme = "learned"; })},
    {"learned_fused", "GPT-2", with([](Blueprint& b) {
       b.scheme = "learned";
       b.attention.fused_qkv = true;
       b.head.tied = false;
       b.dropout = 0.1f;
     })},
    {"learned_one_key", "GPT-BigCode", with([](Blueprint& b) {
       b.scheme = "learned";
       b.attention.key_heads = 1;
     })},
    {"rotary", "GPT-NeoX", with([](Blueprint& b) {
       b.scheme = "rotary";
       b.scheme_options = {{"width", "2"}};
     })},
    {"rotary_parallel", "GPT-NeoX", with([](Blueprint& b) {
       b.scheme = "rotary";
       b.residual = Residual::parallel;
     })},
    {"llama", "Llama", with(as_llama)},
    {"llama_class", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.head.kind = HeadKind::sequence_class;
       b.head.labels = 4;
       b.head.label_bias = false;
       b.head.pooling = Pooling::last;
     })},
    {"llama_yarn", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.scheme_options = {{"scaling", "yarn"}, {"factor", "4"}, {"original_length", "5"}, {"base", "500"}};
       b.attention.key_heads = 1;
     })},
    {"mistral", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.attention.window = 5;
     })},
    {"qwen2", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = true;
       b.attention.window = 5;
     })},
    {"qwen3", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.attention.head_norms = true;
       b.attention.head_size = 6;
     })},
    {"alibi", "BLOOM", with([](Blueprint& b) {
       b.scheme = "alibi";
       b.embedding.norm = true;
       b.feed_forward.activation = Activation::gelu_tanh;
     })},
    {"alibi_bare", "MPT", with([](Blueprint& b) {
       without_biases(b);
       b.norms = {.kind = NormKind::layer, .bias = false};
       b.scheme = "alibi";
       b.attention.scale = 1;
     })},
    {"falcon", "Falcon", with([](Blueprint& b) {
       without_biases(b);
       b.norms.kind = NormKind::layer;
       b.scheme = "rotary";
       b.residual = Residual::parallel_one_norm;
       b.attention.key_heads = 1;
     })},
    {"falcon_groups", "Falcon", with([](Blueprint& b) {
       without_biases(b);
       b.norms.kind = NormKind::layer;
       b.scheme = "rotary";
       b.residual = Residual::parallel;
       b.attention.heads = 6;
       b.attention.key_heads = 2;
     })},
    {"counted", "OPT", with([](Blueprint& b) {
       b.scheme = "learned";
       b.positions = PositionPolicy::Kind::count;
       b.position_offset = 2;
       b.feed_forward.activation = Activation::relu;
     })},
    {"bert", "BERT", with(as_bert)},
    {"bert_states", "BERT", with([](Blueprint& b) {
       as_bert(b);
       b.head.kind = HeadKind::none;
     })},
    {"roberta", "RoBERTa", with([](Blueprint& b) {
       as_bert(b);
       b.embedding.segments = 1;
       b.embedding.padding_token = 1;
       b.positions = PositionPolicy::Kind::count;
       b.position_offset = 2;
     })},
    {"roberta_class", "RoBERTa", with([](Blueprint& b) {
       as_bert(b);
       b.embedding.segments = 1;
       b.embedding.padding_token = 0;
       b.positions = PositionPolicy::Kind::count;
       b.position_offset = 1;
       b.head.kind = HeadKind::sequence_class;
       b.head.dense = false;
       b.head.pooler = Activation::tanh;
     })},
    {"distilbert", "DistilBERT", with([](Blueprint& b) {
       as_bert(b);
       b.embedding.segments = 0;
       b.norms.eps = 1e-12f;
     })},
    {"mpnet", "MPNet", with([](Blueprint& b) {
       as_bert(b);
       b.embedding.segments = 0;
       b.scheme = "learned+t5";
       b.embedding.padding_token = 1;
       b.positions = PositionPolicy::Kind::count;
       b.position_offset = 2;
     })},
    {"gpt_neo", "GPT-Neo", with([](Blueprint& b) {
       b.scheme = "learned";
       b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = false;
       b.attention.scale = 1;
       b.attention.window = 3;
       b.global.every = 2;
     })},
    {"deberta", "DeBERTa", with([](Blueprint& b) {
       as_deberta(b);
       b.attention.key_bias = false;
       b.scheme_options = {{"buckets", "0"}, {"shared", "false"}, {"key_bias", "false"}, {"norm", "false"}};
     })},
    {"deberta_v2", "DeBERTa", with([](Blueprint& b) {
       as_deberta(b);
       b.scheme_options = {{"buckets", "8"}, {"max_distance", "16"}, {"norm_eps", "1e-05"}};
       b.head.kind = HeadKind::sequence_class;
       b.head.dense = false;
       b.head.pooler = Activation::gelu;
       b.head.labels = 3;
     })},
    {"deberta_biased", "DeBERTa", with([](Blueprint& b) {
       as_deberta(b);
       b.scheme = "learned+deberta";
       b.scheme_options = {
           {"deberta.buckets", "8"}, {"deberta.terms", "both"}, {"deberta.norm_eps", "1e-05"}};
     })},
    {"electra", "ELECTRA", with([](Blueprint& b) {
       as_bert(b);
       b.embedding.width = 4;
     })},
    {"albert", "ALBERT", with([](Blueprint& b) {
       as_bert(b);
       b.embedding.width = 4;
       b.shared_layers = true;
     })},
    {"modernbert", "ModernBERT", with([](Blueprint& b) {
       as_modernbert(b);
       b.global.scheme = "rotary";
       b.global.scheme_options = {{"base", "160000"}};
     })},
    {"modernbert_labels", "ModernBERT", with([](Blueprint& b) {
       as_modernbert(b);
       b.head.kind = HeadKind::sequence_class;
       b.head.pooling = Pooling::mean;
       b.head.labels = 3;
       b.global.every = 0;
     })},
    {"nomic_bert", "NomicBERT", with([](Blueprint& b) {
       as_bert(b);
       b.scheme = "rotary";
       b.scheme_options = {{"base", "1000"}};
       b.feed_forward.gated = true;
       b.feed_forward.activation = Activation::silu;
       b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias =
           b.feed_forward.bias = false;
     })},
    {"roformer", "RoFormer", with([](Blueprint& b) {
       as_bert(b);
       b.scheme = "rotary";
       b.scheme_options = {{"pairs", "interleaved"}};
       b.embedding.width = 8;
     })},
    {"phi", "Phi", with([](Blueprint& b) {
       b.scheme = "rotary";
       b.scheme_options = {{"width", "2"}};
       b.residual = Residual::parallel_one_norm;
       b.head.bias = true;
     })},
    {"phi3", "Phi-3", with([](Blueprint& b) {
       as_llama(b);
       b.attention.fused_qkv = true;
       b.scheme_options = {{"width", "2"}};
       b.attention.window = 5;
     })},
    {"smollm3", "SmolLM3", with([](Blueprint& b) {
       as_llama(b);
       b.layers = 5;
       b.global.every = 4;
       b.global.first = 3;
       b.global.scheme = "none";
     })},
    {"cohere", "Cohere", with(as_cohere)},
    {"cohere2", "Cohere", with([](Blueprint& b) {
       as_cohere(b);
       b.attention.window = 3;
       b.global.every = 2;
       b.global.first = 1;
       b.global.scheme = "none";
     })},
    {"starcoder2", "StarCoder2", with([](Blueprint& b) {
       b.scheme = "rotary";
       b.attention.key_heads = 1;
       b.attention.window = 5;
     })},
    {"stablelm", "StableLM", with([](Blueprint& b) {
       as_llama(b);
       b.norms.kind = NormKind::layer;
       b.scheme_options = {{"width", "2"}};
       b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = true;
     })},
    {"stablelm_parallel", "StableLM", with([](Blueprint& b) {
       as_llama(b);
       b.norms.kind = NormKind::layer;
       b.residual = Residual::parallel_one_norm;
     })},
    {"eurobert", "EuroBERT", with([](Blueprint& b) {
       as_llama(b);
       b.kind = ModelKind::encoder;
       b.head.kind = HeadKind::masked_token;
     })},
    {"qwen2_both_ways", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.kind = ModelKind::encoder;
       b.head.kind = HeadKind::none;
       b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = true;
     })},
    {"granite", "Granite", with([](Blueprint& b) {
       as_llama(b);
       b.embedding.scale = 12;
       b.residual_scale = 0.22f;
       b.attention.scale = 0.015625f;
       b.head.scale = 0.125f;
     })},
    {"olmo2", "OLMo", with([](Blueprint& b) {
       as_llama(b);
       b.norms.place = NormPlace::added;
       b.attention.joint_norms = true;
     })},
    {"olmo3", "OLMo", with([](Blueprint& b) {
       as_llama(b);
       b.norms.place = NormPlace::added;
       b.attention.joint_norms = true;
       b.attention.window = 3;
       b.global.every = 4;
       b.global.first = b.layers - 1;
       b.global.scheme = "rotary";
       b.global.scheme_options = {{"scaling", "linear"}, {"factor", "8"}};
     })},
    {"gemma", "Gemma", with([](Blueprint& b) { as_gemma(b); })},
    {"gemma2", "Gemma 2", with([](Blueprint& b) {
       as_gemma(b);
       b.norms.place = NormPlace::around;
       b.attention.scale = static_cast<float>(1 / std::sqrt(7.0));
       b.attention.cap = 50, b.head.cap = 0.75f;
       b.attention.window = 3;
       b.global.every = 2, b.global.first = 1;
     })},
    {"gemma3", "Gemma 3", with([](Blueprint& b) {
       as_gemma(b);
       b.norms.place = NormPlace::around;
       b.attention.head_norms = true;
       b.attention.scale = static_cast<float>(1 / std::sqrt(7.0));
       b.attention.window = 3;
       b.global.every = 6;
       b.global.first = b.layers - 1;
       b.global.scheme = "rotary";
       b.global.scheme_options = {{"base", "1000000"}, {"scaling", "linear"}, {"factor", "8"}};
       b.head.cap = 30;
     })},
    {"encoder_without_segments", "DeBERTa", with([](Blueprint& b) {
       as_bert(b);
       b.embedding.segments = 0;
     })},
    {"gptj", "GPT-J", with([](Blueprint& b) {
       b.scheme = "rotary";
       b.scheme_options = {{"pairs", "interleaved"}, {"width", "2"}};
       b.residual = Residual::parallel_one_norm;
       b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias =
           false;
       b.head.bias = true;
     })},
    {"t5", "T5", with([](Blueprint& b) {
       without_biases(b);
       b.kind = ModelKind::encoder_decoder;
       b.scheme = "t5";
       b.attention.scale = 1;
       b.head.tied = false;
       b.feed_forward.gated = true;
       b.feed_forward.activation = Activation::gelu_tanh;
       b.decoder.layers = 1;
     })},
    {"t5_encoder", "T5", with([](Blueprint& b) {
       without_biases(b);
       b.kind = ModelKind::encoder;
       b.head.kind = HeadKind::none;
       b.scheme = "t5";
       b.attention.scale = 1;
       b.feed_forward.activation = Activation::relu;
     })},
    {"bart_labels", "BART", with([](Blueprint& b) {
       b.kind = ModelKind::encoder_decoder;
       b.scheme = "learned";
       b.position_offset = 2;
       b.embedding.norm = true;
       b.norms = {.place = NormPlace::after, .final = false};
       b.head.kind = HeadKind::sequence_class;
       b.head.pooling = Pooling::last;
       b.head.pooler = Activation::tanh;
     })},
    {"marian", "Marian", with([](Blueprint& b) {
       b.kind = ModelKind::encoder_decoder;
       b.scheme = "sinusoidal";
       b.scheme_options = {{"pairs", "halves"}};
       b.norms = {.place = NormPlace::after, .final = false};
     })},
    {"mbart", "mBART", with([](Blueprint& b) {
       b.kind = ModelKind::encoder_decoder;
       b.decoder.heads = 2;
       b.scheme = "learned";
       b.position_offset = 2;
       b.embedding.norm = true;
       b.head.bias = true;
     })},
    {"m2m_100", "M2M100", with([](Blueprint& b) {
       b.kind = ModelKind::encoder_decoder;
       b.scheme = "sinusoidal";
       b.scheme_options = {{"pairs", "halves"}, {"spacing", "closed"}};
       b.positions = PositionPolicy::Kind::count;
       b.position_offset = 2;
       b.embedding.padding_token = 1;
     })},
    {"pegasus", "Pegasus", with([](Blueprint& b) {
       b.kind = ModelKind::encoder_decoder;
       b.scheme = "sinusoidal";
       b.scheme_options = {{"pairs", "halves"}};
       b.head.bias = true;
     })},
};

class MadeModel : public ::testing::TestWithParam<Case> {};

// The reopened model is the same, except for rounding in rotary tables.
TEST_P(MadeModel, OpensAsTheSameModel) {
  const TemporaryFolder folder;
  const Model model(GetParam().blueprint);
  save_model(model, folder.path());
  const ModelFolder again = open_model(folder.path());
  EXPECT_EQ(again.architecture.family->name, GetParam().family);
  EXPECT_EQ(again.model.parameters().numel(), model.parameters().numel());
  const std::vector<std::vector<int32_t>> texts = {{3, 1, 4, 1, 5, 9, 2, 6}, {5, 3, 5, 8}};
  const Blueprint& b = model.blueprint();
  const Tokens tokens = tokens_of(texts, b);
  const NoGrad no_grad;
  const bool both = b.kind == ModelKind::encoder_decoder;
  const std::vector<float> wanted = (both ? model(tokens, tokens) : model(tokens)).value().values();
  const std::vector<float> got = (both ? again.model(tokens, tokens) : again.model(tokens)).value().values();
  ASSERT_EQ(got.size(), wanted.size());
  const float most = std::ranges::max(wanted, {}, [](float v) { return std::abs(v); });
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 1e-6 * std::abs(most));
}

INSTANTIATE_TEST_SUITE_P(Families, MadeModel, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

// Some classes of transformers reject an integer where they expect a float.
TEST(ExportConfig, WritesFractionsAsFractions) {
  const std::string config = export_config(with(as_bert)).config;
  EXPECT_NE(config.find("\"hidden_dropout_prob\": 0.0"), std::string::npos) << config;
}

TEST(ExportConfig, NamesTheFieldsThatNoFamilySupports) {
  const TemporaryFolder folder;
  const auto refused = [&](void (*change)(Blueprint&), const Values& values) {
    expect_bad_data(Code::unsupported_field, values,
                    [&] { save_model(Model(with(change)), folder / "made"); });
    EXPECT_FALSE(std::filesystem::exists(folder / "made"));
  };
  refused(
      [](Blueprint& b) {
        b.scheme = "learned";
        b.feed_forward.gated = true;
      },
      {"GPT-2", "gated", "true", "false"});
  refused([](Blueprint& b) { b.scheme = "fire"; }, {"scheme.name", "fire", "learned"});
  refused(
      [](Blueprint& b) {
        as_bert(b);
        b.attention.fused_qkv = true;
      },
      {"BERT", "fused_qkv", "true", "false"});
  refused(
      [](Blueprint& b) {
        as_llama(b);
        b.scheme_options = {{"pairs", "interleaved"}};
      },
      {"Llama", "scheme.pairs", "interleaved", "halves"});
  refused(
      [](Blueprint& b) {
        as_bert(b);
        b.positions = PositionPolicy::Kind::count;
        b.position_offset = 2;
      },
      {"positions", "count", "row"});
}

}  // namespace
}  // namespace locus
