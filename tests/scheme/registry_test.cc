#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "locus/base/file.h"
#include "locus/scheme/rotary.h"
#include "locus/scheme/scheme.h"
#include "locus/scheme/t5.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

constexpr Geometry kRegistryGeometry{.width = 32, .heads = 4, .head_size = 8, .layers = 2, .max_length = 64};

void make(const char* name, const Geometry& geometry) {
  Parameters parameters;
  make_scheme(name, geometry, {}, Scope(parameters, "position"), Random(1, 2));
}

TEST(Registry, EverySchemeIntroducesItself) {
  std::set<std::string_view> names;
  for (const SchemeInfo* info : schemes()) {
    SCOPED_TRACE(info->name);
    EXPECT_TRUE(names.insert(info->name).second) << "a name twice";
    EXPECT_EQ(&scheme_info(info->name), info);
    for (const std::string_view text :
         {info->summary, info->formula, info->paper, info->models, info->cost}) {
      EXPECT_FALSE(text.empty());
    }
    EXPECT_EQ(info->summary.find('\n'), std::string_view::npos) << "a summary is one line";
    for (const OptionSpec& option : info->options.list()) EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_NO_THROW(make(std::string(info->name).c_str(), kRegistryGeometry)) << "with its defaults";
  }
}

TEST(Registry, RefusesAnUnknownScheme) {
  expect_error(Fault::usage, Code::unknown_scheme, {"'nome'", "'none'", "none, learned, sinusoidal"},
               [] { make("nome", kRegistryGeometry); });
}

TEST(Registry, FindsASchemeByItsAliases) {
  for (const auto& [alias, name] : {std::pair{"rope", "rotary"},
                                    {"RoPE", "rotary"},
                                    {"Rotary", "rotary"},
                                    {"absolute", "learned"},
                                    {"wpe", "learned"},
                                    {"t5 BIAS", "t5"},
                                    {"t5-bias", "t5"},
                                    {"relative_bias", "t5"},
                                    {"relative_key", "shaw"},
                                    {"NoPE", "none"},
                                    {"txl", "transformer_xl"},
                                    {"XL", "transformer_xl"},
                                    {"transformer-xl", "transformer_xl"},
                                    {"sincos", "sinusoidal"},
                                    {"sin/cos encoding", "sinusoidal"},
                                    {"sinusoidal positional encoding", "sinusoidal"},
                                    {"rotary position embedding", "rotary"},
                                    {"absolute positions", "learned"},
                                    {"learned_positional_embeddings", "learned"},
                                    {"T5 relative position bias", "t5"},
                                    {"relative position representations", "shaw"},
                                    {"attention with linear biases", "alibi"},
                                    {"XLNet", "transformer_xl"}}) {
    EXPECT_EQ(scheme_info(alias).name, name) << alias;
  }
  EXPECT_EQ(scheme_info("absolute+T5-bias").name, "learned+t5");
  EXPECT_EQ(&scheme_info("absolute+t5"), &scheme_info("learned+t5"));
}

// A word that several schemes could mean is not an alias.
TEST(Registry, SuggestsTheSchemesWithThisWord) {
  const auto suggests = [](const char* word, std::initializer_list<const char*> names) {
    expect_error(Fault::usage, Code::unknown_scheme, names, [&] { scheme_info(word); });
  };
  suggests("bias", {"'alibi'", "'t5'"});
  suggests("relative", {"'t5'", "'shaw'"});
  suggests("relative position", {"'t5'", "'shaw'"});
  suggests("embeddings", {"'rotary'"});
  suggests("positional encoding", {"'sinusoidal'"});
  suggests("rotery", {"'rotary'"});
}

std::unique_ptr<Scheme> make_nothing(const Geometry&, const Options&, const Scope&, const InitRandom&) {
  return nullptr;
}

// examples/own_scheme.cc registers a scheme in time.
TEST(Registry, RefusesASchemeAfterTheFirstUse) {
  static constexpr SchemeInfo kLate = {.name = "late", .make = make_nothing};
  const size_t before = schemes().size();
  expect_error(Fault::usage, {"register_scheme", "'late'"}, [] { register_scheme(kLate); });
  EXPECT_EQ(schemes().size(), before);
}

TEST(Registry, RegistersSchemesOfAProgram) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  ASSERT_EQ(std::system((LOCUS_REGISTRANT " > " + out).c_str()), 0);
  std::istringstream lines(read_file(out));
  const auto expect_line = [&](std::initializer_list<const char*> values) {
    std::string line;
    EXPECT_TRUE(std::getline(lines, line));
    expect_named(line, values);
  };
  expect_line({"registered"});
  expect_line({"'first'"});
  expect_line({"'first_one'", "'first'"});
  expect_line({"'rope'", "'rotary'"});
  expect_line({"'T5 bias'", "'other'", "'t5'"});
  expect_line({"'a+b'"});
  expect_line({"''"});
  expect_line({"'unmade'", "make"});
  expect_line({"9"});
  expect_line({"first"});
  expect_line({"'late'"});
}

TEST(Registry, TypedOptionsAreThoseOfText) {
  Parameters parameters;
  const Scope scope(parameters);
  const Placement placement = Placement::rectangle(1, 40);
  const auto typed =
      make_scheme(Rotary{.base = 123456.789, .short_factor = {}}, kRegistryGeometry, scope, {});
  const auto text = make_scheme("rotary", kRegistryGeometry, {{"base", "123456.789"}}, scope, {});
  const RotationTerm a = *typed->begin(placement).rotation(), b = *text->begin(placement).rotation();
  EXPECT_EQ(a.cos.values(), b.cos.values());
  make_scheme(T5{.buckets = 6, .sides = T5::Sides::one}, kRegistryGeometry, scope / "t5", Random(1, 2));
  EXPECT_EQ(parameters.at("t5.table").shape(), (Shape{6, 4}));
  expect_error(Fault::usage, {"rotary", "base", "0.5", "1"},
               [&] { make_scheme(Rotary{.base = 0.5}, kRegistryGeometry, scope, {}); });
}

TEST(Registry, EveryLayerHasItsOwnCompleteScores) {
  Parameters parameters;
  const auto shaw = make_scheme("shaw", kRegistryGeometry, {}, Scope(parameters, "shaw"), Random(1, 2));
  const SchemePass pass = shaw->begin(Placement::rectangle(1, 3));
  for (int64_t layer = 0; layer < kRegistryGeometry.layers; ++layer) {
    const Var& own = parameters.at(fmt::format("shaw.layer.{}.table", layer));
    EXPECT_EQ(pass.scores({.layer = layer}).by_query->table.value().values(), own.value().values());
  }
  const auto xl = make_scheme("transformer_xl", kRegistryGeometry, {}, Scope(parameters, "xl"), Random(1, 2));
  const ScoreTerms scores = xl->begin(Placement::rectangle(1, 3)).scores({.layer = 1});
  EXPECT_TRUE(scores.by_distance && scores.by_query && scores.by_key);
  expect_error(Fault::data, {"layer 2", "2"}, [&] { pass.scores({.layer = 2}); });
  expect_error(Fault::data, {"layer -1", "2"}, [&] { pass.scores({.layer = -1}); });
}

TEST(Registry, RefusesAnUnknownOption) {
  expect_error(Fault::usage, Code::unknown_option, {"none", "'base'"}, [] {
    Parameters parameters;
    make_scheme("none", kRegistryGeometry, {{"base", "1"}}, Scope(parameters), Random(1, 2));
  });
}

TEST(Registry, RefusesAModelOfNoSize) {
  const auto refused = [](int64_t Geometry::*size, const char* name) {
    Geometry geometry = kRegistryGeometry;
    geometry.*size = -1;
    expect_error(Fault::data, {"make_scheme", name, "-1", "1"}, [&] { make("none", geometry); });
  };
  refused(&Geometry::width, "geometry.width");
  refused(&Geometry::heads, "geometry.heads");
  refused(&Geometry::head_size, "geometry.head_size");
  refused(&Geometry::layers, "geometry.layers");
  refused(&Geometry::max_length, "geometry.max_length");
}

}  // namespace
}  // namespace locus
