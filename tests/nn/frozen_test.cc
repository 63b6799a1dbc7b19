// Tables that a scheme caches for frozen parameters equal freshly computed ones, for every scheme.
#include <gtest/gtest.h>

#include "locus/nn/model.h"

namespace locus::testing {
namespace {

struct Case {
  std::string scheme;
  OptionValues options;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const SchemeInfo* info : schemes()) all.push_back({std::string(info->name), {}});
  all.push_back({"deberta", {{"norm", "false"}}});
  all.push_back({"deberta", {{"shared", "false"}, {"buckets", "0"}}});
  all.push_back({"deberta", {{"terms", "p2c"}}});
  all.push_back({"learned+deberta", {}});
  return all;
}

Model model_of(const Case& c, bool fused) {
  Blueprint b;
  b.kind = ModelKind::encoder;
  b.head.kind = HeadKind::masked_token;
  b.vocabulary = 19;
  b.width = 24;
  b.attention.heads = 4;
  b.layers = 2;
  b.max_length = 32;
  b.attention.fused_qkv = fused;
  b.scheme = c.scheme;
  b.scheme_options = c.options;
  b.init_std = 0.4f;  // wide enough that positions matter
  return Model(b, {.seed = 3});
}

Var states(const Model& model, int64_t length) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < 2 * length; ++i) ids.push_back(static_cast<int32_t>(i * 7 % 19));
  return model.hidden({Tensor::of({2 * length}, ids), Placement::rectangle(2, length), {}});
}
std::vector<float> asked(const Model& model, int64_t length) {
  const NoGrad scope;
  return states(model, length).value().values();
}

TEST(Frozen, AnswersAsAFreeModelDoesInAnyOrderOfLengths) {
  for (const Case& c : cases()) {
    for (const bool fused : {false, true}) {
      SCOPED_TRACE(c.scheme + (fused ? " fused" : ""));
      const Model free = model_of(c, fused);
      Model frozen = model_of(c, fused);
      frozen.parameters().freeze("");
      for (const int64_t length : {5, 13, 3, 21, 21}) EXPECT_EQ(asked(frozen, length), asked(free, length));
    }
  }
}

// Some parameters are unfrozen, used, modified and frozen again.
TEST(Frozen, FollowsWhatWasChangedInBetween) {
  for (const Case& c : cases()) {
    for (const bool scheme_only : {false, true}) {
      for (const bool fused : {false, true}) {
        SCOPED_TRACE(c.scheme + (scheme_only ? " scheme" : " layers") + (fused ? " fused" : ""));
        Model changed = model_of(c, fused), wanted = model_of(c, fused);
        changed.parameters().freeze("");
        asked(changed, 13);
        const auto chosen = [&](std::string_view name) {
          return (name.find("layer") == std::string_view::npos) == scheme_only;
        };
        const auto each_chosen = [&](Model& model, auto f) {
          for (NamedParameter each : model.parameters().all()) {
            if (chosen(each.name)) f(each.var);
          }
        };
        each_chosen(changed, [](Var& var) { var.set_wants_grad(true); });
        asked(changed, 13);
        for (Model* model : {&changed, &wanted}) {
          each_chosen(*model, [](Var& var) {
            for (float& value : var.value().data<float>()) value = 0.5f * value + 0.1f;
          });
        }
        EXPECT_EQ(asked(changed, 13), asked(wanted, 13));
        each_chosen(changed, [](Var& var) { var.set_wants_grad(false); });
        EXPECT_EQ(asked(changed, 13), asked(wanted, 13));
      }
    }
  }
}

}  // namespace
}  // namespace locus::testing
