#include <gtest/gtest.h>

#include <set>

#include "locus/scheme/scheme.h"
#include "tests/expect_error.h"

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
    for (const OptionSpec& option : info->options) EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_NO_THROW(make(std::string(info->name).c_str(), kRegistryGeometry)) << "with its defaults";
  }
}

TEST(Registry, RefusesAnUnknownScheme) {
  expect_error(Fault::usage, Code::unknown_scheme, {"'nome'", "'none'", "none, learned, sinusoidal"},
               [] { make("nome", kRegistryGeometry); });
}

TEST(Registry, SuggestsTheSchemeWithThisAlias) {
  const auto suggests = [](const char* alias, const char* name) {
    expect_error(Fault::usage, Code::unknown_scheme, {alias, name}, [&] { scheme_info(alias); });
  };
  suggests("rope", "'rotary'");
  suggests("RoPE", "'rotary'");
  suggests("wpe", "'learned'");
  suggests("t5 BIAS", "'t5'");
  suggests("NoPE", "'none'");
  suggests("txl", "'transformer_xl'");
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
