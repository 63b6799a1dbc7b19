// Weight decay, studies, exports and fine-tuning decide by the role and the owner of a parameter.
#include <gtest/gtest.h>

#include <map>

#include "locus/nn/model.h"
#include "locus/train/optimizer.h"

namespace locus {
namespace {

// An encoder with everything: factorized embeddings, segments, two schemes, a pooler and labels.
Blueprint rich() {
  return {.kind = ModelKind::encoder,
          .vocabulary = 11,
          .width = 8,
          .layers = 2,
          .max_length = 16,
          .scheme = "learned+shaw",
          .embedding = {.width = 4, .norm = true, .segments = 2},
          .attention = {.heads = 2, .window = 4},
          .global = {.every = 2, .scheme = "deberta"},
          .head = {.kind = HeadKind::sequence_class, .labels = 3, .pooler = Activation::tanh}};
}

std::map<std::string, NamedParameter> parameters_of(const Model& model) {
  std::map<std::string, NamedParameter> result;
  for (const NamedParameter& parameter : model.parameters().all()) result.emplace(parameter.name, parameter);
  return result;
}

TEST(ParameterRoles, OnlyMatricesAndTablesHaveTwoAxes) {
  const Model model(rich());
  for (const NamedParameter& parameter : model.parameters().all()) {
    const bool wide = parameter.role == Role::matrix || parameter.role == Role::table;
    EXPECT_EQ(parameter.var.shape().rank() >= 2, wide) << parameter.name;
  }
}

TEST(ParameterRoles, EveryPartOwnsItsParameters) {
  const Model model(rich());
  const auto all = parameters_of(model);
  const auto expect = [&](const char* name, Role role, Owner owner) {
    ASSERT_TRUE(all.contains(name)) << name;
    EXPECT_EQ(all.at(name).role, role) << name;
    EXPECT_EQ(all.at(name).owner, owner) << name;
  };
  expect("tokens", Role::table, Owner::tokens);
  expect("encoder.embedding.segments", Role::table, Owner::body);
  expect("encoder.embedding.project.weight", Role::matrix, Owner::body);
  expect("encoder.embedding.norm.weight", Role::gain, Owner::body);
  expect("encoder.layers.1.feed_forward.up.weight", Role::matrix, Owner::body);
  expect("encoder.layers.1.feed_forward.up.bias", Role::bias, Owner::body);
  expect("encoder.scheme.learned.table", Role::table, Owner::scheme);
  expect("encoder.scheme.shaw.layer.1.table", Role::table, Owner::scheme);
  expect("encoder.global_scheme.table", Role::table, Owner::global_scheme);
  expect("head.pooler.weight", Role::matrix, Owner::head);
  expect("head.out.weight", Role::matrix, Owner::labels);
  expect("head.out.bias", Role::bias, Owner::labels);
}

// The matrix that projects narrow embeddings, as in ALBERT, ELECTRA and RoFormer.
TEST(ParameterRoles, TheEmbeddingProjectionDecays) {
  const Model model(rich());
  EXPECT_TRUE(decays(model.parameters().entry("encoder.embedding.project.weight"), {}));
  EXPECT_FALSE(decays(model.parameters().entry("tokens"), {}));
}

}  // namespace
}  // namespace locus
