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
  return {.vocabulary = 29, .width = 12, .layers = 2, .heads = 3, .max_length = 20, .init_std = 0.3f};
}

Blueprint with(void (*change)(Blueprint&)) {
  Blueprint b = base();
  change(b);
  return b;
}

// RMS norms and no biases, as in T5 and Llama.
void without_biases(Blueprint& b) {
  b.norm = NormKind::rms;
  b.query_bias = b.key_bias = b.value_bias = b.output_bias = b.hidden_bias = false;
}

void as_llama(Blueprint& b) {
  without_biases(b);
  b.scheme = "rotary";
  b.gated = true;
  b.activation = Activation::silu;
}

void as_gemma(Blueprint& b) {
  as_llama(b);
  b.norm = NormKind::rms_from_one;
  b.activation = Activation::gelu_tanh;
  b.embedding_scale = std::sqrt(static_cast<float>(b.width));
}

void as_cohere(Blueprint& b) {
  as_llama(b);
  b.norm = NormKind::layer;
  b.norm_bias = false;
  b.residual = Residual::parallel_one_norm;
  b.scheme_options = {{"pairs", "interleaved"}};
  b.head_scale = 0.25f;
}

void as_bert(Blueprint& b) {
  b.kind = ModelKind::encoder;
  b.head = HeadKind::masked_token;
  b.scheme = "learned";
  b.segments = 2;
  b.norm_place = NormPlace::after;
  b.final_norm = false;
  b.embedding_norm = b.head_dense = b.head_bias = true;
  b.pooling = Pooling::first;
}

void as_modernbert(Blueprint& b) {
  b.kind = ModelKind::encoder;
  b.head = HeadKind::masked_token;
  b.scheme = "rotary";
  b.window = 4;
  b.global_every = 2;
  b.gated = b.embedding_norm = b.head_dense = b.head_bias = true;
  b.norm_bias = b.first_norm = b.dense_bias = false;
  b.query_bias = b.key_bias = b.value_bias = b.output_bias = b.hidden_bias = false;
}

void as_deberta(Blueprint& b) {
  as_bert(b);
  b.segments = 0;
  b.scheme = "deberta";
  b.attention_scale = 1 / std::sqrt(4.0f * 3);  // heads of 4; 3 score terms
}

const Case kCases[] = {
    {"learned", "GPT-2", with([](Blueprint& b) { b.scheme = "learned"; })},
    {"learned_fused", "GPT-2", with([](Blueprint& b) {
       b.scheme = "learned";
       b.fused_qkv = true;
       b.tied = false;
       b.dropout = 0.1f;
     })},
    {"learned_one_key", "GPT-BigCode", with([](Blueprint& b) {
       b.scheme = "learned";
       b.key_heads = 1;
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
       b.head = HeadKind::sequence_class;
       b.labels = 4;
       b.label_bias = false;
       b.pooling = Pooling::last;
     })},
    {"llama_yarn", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.scheme_options = {{"scaling", "yarn"}, {"factor", "4"}, {"original_length", "5"}, {"base", "500"}};
       b.key_heads = 1;
     })},
    {"mistral", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.window = 5;
     })},
    {"qwen2", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.query_bias = b.key_bias = b.value_bias = true;
       b.window = 5;
     })},
    {"qwen3", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.head_norms = true;
       b.head_size = 6;
     })},
    {"alibi", "BLOOM", with([](Blueprint& b) {
       b.scheme = "alibi";
       b.embedding_norm = true;
       b.activation = Activation::gelu_tanh;
     })},
    {"alibi_bare", "MPT", with([](Blueprint& b) {
       without_biases(b);
       b.norm = NormKind::layer;
       b.norm_bias = false;
       b.scheme = "alibi";
       b.attention_scale = 1;
     })},
    {"falcon", "Falcon", with([](Blueprint& b) {
       without_biases(b);
       b.norm = NormKind::layer;
       b.scheme = "rotary";
       b.residual = Residual::parallel_one_norm;
       b.key_heads = 1;
     })},
    {"falcon_groups", "Falcon", with([](Blueprint& b) {
       without_biases(b);
       b.norm = NormKind::layer;
       b.scheme = "rotary";
       b.residual = Residual::parallel;
       b.heads = 6;
       b.key_heads = 2;
     })},
    {"counted", "OPT", with([](Blueprint& b) {
       b.scheme = "learned";
       b.positions = PositionPolicy::Kind::count;
       b.position_offset = 2;
       b.activation = Activation::relu;
     })},
    {"bert", "BERT", with(as_bert)},
    {"bert_states", "BERT", with([](Blueprint& b) {
       as_bert(b);
       b.head = HeadKind::none;
     })},
    {"roberta", "RoBERTa", with([](Blueprint& b) {
       as_bert(b);
       b.segments = 1;
       b.padding_token = 1;
       b.positions = PositionPolicy::Kind::count;
       b.position_offset = 2;
     })},
    {"roberta_class", "RoBERTa", with([](Blueprint& b) {
       as_bert(b);
       b.segments = 1;
       b.padding_token = 0;
       b.positions = PositionPolicy::Kind::count;
       b.position_offset = 1;
       b.head = HeadKind::sequence_class;
       b.head_dense = false;
       b.pooler = Activation::tanh;
     })},
    {"distilbert", "DistilBERT", with([](Blueprint& b) {
       as_bert(b);
       b.segments = 0;
       b.norm_eps = 1e-12f;
     })},
    {"mpnet", "MPNet", with([](Blueprint& b) {
       as_bert(b);
       b.segments = 0;
       b.scheme = "learned+t5";
       b.padding_token = 1;
       b.positions = PositionPolicy::Kind::count;
       b.position_offset = 2;
     })},
    {"gpt_neo", "GPT-Neo", with([](Blueprint& b) {
       b.scheme = "learned";
       b.query_bias = b.key_bias = b.value_bias = false;
       b.attention_scale = 1;
       b.window = 3;
       b.global_every = 2;
     })},
    {"deberta", "DeBERTa", with([](Blueprint& b) {
       as_deberta(b);
       b.key_bias = false;
       b.scheme_options = {{"buckets", "0"}, {"shared", "false"}, {"key_bias", "false"}, {"norm", "false"}};
     })},
    {"deberta_v2", "DeBERTa", with([](Blueprint& b) {
       as_deberta(b);
       b.scheme_options = {{"buckets", "8"}, {"max_distance", "16"}, {"norm_eps", "1e-05"}};
       b.head = HeadKind::sequence_class;
       b.head_dense = false;
       b.pooler = Activation::gelu;
       b.labels = 3;
     })},
    {"deberta_biased", "DeBERTa", with([](Blueprint& b) {
       as_deberta(b);
       b.scheme = "learned+deberta";
       b.scheme_options = {
           {"deberta.buckets", "8"}, {"deberta.terms", "both"}, {"deberta.norm_eps", "1e-05"}};
     })},
    {"electra", "ELECTRA", with([](Blueprint& b) {
       as_bert(b);
       b.embedding_width = 4;
     })},
    {"albert", "ALBERT", with([](Blueprint& b) {
       as_bert(b);
       b.embedding_width = 4;
       b.shared_layers = true;
     })},
    {"modernbert", "ModernBERT", with([](Blueprint& b) {
       as_modernbert(b);
       b.global_scheme = "rotary";
       b.global_scheme_options = {{"base", "160000"}};
     })},
    {"modernbert_labels", "ModernBERT", with([](Blueprint& b) {
       as_modernbert(b);
       b.head = HeadKind::sequence_class;
       b.pooling = Pooling::mean;
       b.labels = 3;
       b.global_every = 0;
     })},
    {"nomic_bert", "NomicBERT", with([](Blueprint& b) {
       as_bert(b);
       b.scheme = "rotary";
       b.scheme_options = {{"base", "1000"}};
       b.gated = true;
       b.activation = Activation::silu;
       b.query_bias = b.key_bias = b.value_bias = b.output_bias = b.hidden_bias = false;
     })},
    {"roformer", "RoFormer", with([](Blueprint& b) {
       as_bert(b);
       b.scheme = "rotary";
       b.scheme_options = {{"pairs", "interleaved"}};
       b.embedding_width = 8;
     })},
    {"phi", "Phi", with([](Blueprint& b) {
       b.scheme = "rotary";
       b.scheme_options = {{"width", "2"}};
       b.residual = Residual::parallel_one_norm;
       b.head_bias = true;
     })},
    {"phi3", "Phi-3", with([](Blueprint& b) {
       as_llama(b);
       b.fused_qkv = true;
       b.scheme_options = {{"width", "2"}};
       b.window = 5;
     })},
    {"smollm3", "SmolLM3", with([](Blueprint& b) {
       as_llama(b);
       b.layers = 5;
       b.global_every = 4;
       b.global_first = 3;
       b.global_scheme = "none";
     })},
    {"cohere", "Cohere", with(as_cohere)},
    {"cohere2", "Cohere", with([](Blueprint& b) {
       as_cohere(b);
       b.window = 3;
       b.global_every = 2;
       b.global_first = 1;
       b.global_scheme = "none";
     })},
    {"starcoder2", "StarCoder2", with([](Blueprint& b) {
       b.scheme = "rotary";
       b.key_heads = 1;
       b.window = 5;
     })},
    {"stablelm", "StableLM", with([](Blueprint& b) {
       as_llama(b);
       b.norm = NormKind::layer;
       b.scheme_options = {{"width", "2"}};
       b.query_bias = b.key_bias = b.value_bias = true;
     })},
    {"stablelm_parallel", "StableLM", with([](Blueprint& b) {
       as_llama(b);
       b.norm = NormKind::layer;
       b.residual = Residual::parallel_one_norm;
     })},
    {"eurobert", "EuroBERT", with([](Blueprint& b) {
       as_llama(b);
       b.kind = ModelKind::encoder;
       b.head = HeadKind::masked_token;
     })},
    {"qwen2_both_ways", "Llama", with([](Blueprint& b) {
       as_llama(b);
       b.kind = ModelKind::encoder;
       b.head = HeadKind::none;
       b.query_bias = b.key_bias = b.value_bias = true;
     })},
    {"granite", "Granite", with([](Blueprint& b) {
       as_llama(b);
       b.embedding_scale = 12;
       b.residual_scale = 0.22f;
       b.attention_scale = 0.015625f;
       b.head_scale = 0.125f;
     })},
    {"olmo2", "OLMo", with([](Blueprint& b) {
       as_llama(b);
       b.norm_place = NormPlace::added;
       b.joint_norms = true;
     })},
    {"olmo3", "OLMo", with([](Blueprint& b) {
       as_llama(b);
       b.norm_place = NormPlace::added;
       b.joint_norms = true;
       b.window = 3;
       b.global_every = 4;
       b.global_first = b.layers - 1;
       b.global_scheme = "rotary";
       b.global_scheme_options = {{"scaling", "linear"}, {"factor", "8"}};
     })},
    {"gemma", "Gemma", with([](Blueprint& b) { as_gemma(b); })},
    {"gemma2", "Gemma 2", with([](Blueprint& b) {
       as_gemma(b);
       b.norm_place = NormPlace::around;
       b.attention_scale = static_cast<float>(1 / std::sqrt(7.0));
       b.score_cap = 50, b.logit_cap = 0.75f;
       b.window = 3;
       b.global_every = 2, b.global_first = 1;
     })},
    {"gemma3", "Gemma 3", with([](Blueprint& b) {
       as_gemma(b);
       b.norm_place = NormPlace::around;
       b.head_norms = true;
       b.attention_scale = static_cast<float>(1 / std::sqrt(7.0));
       b.window = 3;
       b.global_every = 6;
       b.global_first = b.layers - 1;
       b.global_scheme = "rotary";
       b.global_scheme_options = {{"base", "1000000"}, {"scaling", "linear"}, {"factor", "8"}};
       b.logit_cap = 30;
     })},
    {"encoder_without_segments", "DeBERTa", with([](Blueprint& b) {
       as_bert(b);
       b.segments = 0;
     })},
    {"gptj", "GPT-J", with([](Blueprint& b) {
       b.scheme = "rotary";
       b.scheme_options = {{"pairs", "interleaved"}, {"width", "2"}};
       b.residual = Residual::parallel_one_norm;
       b.query_bias = b.key_bias = b.value_bias = b.output_bias = false;
       b.head_bias = true;
     })},
    {"t5", "T5", with([](Blueprint& b) {
       without_biases(b);
       b.kind = ModelKind::encoder_decoder;
       b.scheme = "t5";
       b.attention_scale = 1;
       b.tied = false;
       b.gated = true;
       b.activation = Activation::gelu_tanh;
       b.decoder_layers = 1;
     })},
    {"t5_encoder", "T5", with([](Blueprint& b) {
       without_biases(b);
       b.kind = ModelKind::encoder;
       b.head = HeadKind::none;
       b.scheme = "t5";
       b.attention_scale = 1;
       b.activation = Activation::relu;
     })},
    {"bart_labels", "BART", with([](Blueprint& b) {
       b.kind = ModelKind::encoder_decoder;
       b.scheme = "learned";
       b.position_offset = 2;
       b.embedding_norm = true;
       b.norm_place = NormPlace::after;
       b.final_norm = false;
       b.head = HeadKind::sequence_class;
       b.pooling = Pooling::last;
       b.pooler = Activation::tanh;
     })},
    {"marian", "Marian", with([](Blueprint& b) {
       b.kind = ModelKind::encoder_decoder;
       b.scheme = "sinusoidal";
       b.scheme_options = {{"pairs", "halves"}};
       b.norm_place = NormPlace::after;
       b.final_norm = false;
     })},
    {"mbart", "mBART", with([](Blueprint& b) {
       b.kind = ModelKind::encoder_decoder;
       b.decoder_heads = 2;
       b.scheme = "learned";
       b.position_offset = 2;
       b.embedding_norm = true;
       b.head_bias = true;
     })},
    {"m2m_100", "M2M100", with([](Blueprint& b) {
       b.kind = ModelKind::encoder_decoder;
       b.scheme = "sinusoidal";
       b.scheme_options = {{"pairs", "halves"}, {"spacing", "closed"}};
       b.positions = PositionPolicy::Kind::count;
       b.position_offset = 2;
       b.padding_token = 1;
     })},
    {"pegasus", "Pegasus", with([](Blueprint& b) {
       b.kind = ModelKind::encoder_decoder;
       b.scheme = "sinusoidal";
       b.scheme_options = {{"pairs", "halves"}};
       b.head_bias = true;
     })},
};

class MadeModel : public testing::TestWithParam<Case> {};

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

INSTANTIATE_TEST_SUITE_P(Families, MadeModel, testing::ValuesIn(kCases),
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
        b.gated = true;
      },
      {"blueprint", "GPT-2", "gated", "true", "false"});
  refused([](Blueprint& b) { b.scheme = "fire"; }, {"scheme.name", "fire", "learned"});
  refused(
      [](Blueprint& b) {
        as_bert(b);
        b.fused_qkv = true;
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
