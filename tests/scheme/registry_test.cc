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
  expect_error(Fault::usage, {"unknown scheme 'nome'; did you mean 'none'?; there are none"},
               [] { make("nome", kRegistryGeometry); });
}

TEST(Registry, RefusesAnUnknownOption) {
  expect_error(Fault::usage, {"none: unknown option 'base'; it has no options"}, [] {
    Parameters parameters;
    make_scheme("none", kRegistryGeometry, {{"base", "1"}}, Scope(parameters), Random(1, 2));
  });
}

TEST(Registry, RefusesAModelOfNoSize) {
  const auto refused = [](int64_t Geometry::*size, const char* text) {
    Geometry geometry = kRegistryGeometry;
    geometry.*size = -1;
    expect_error(Fault::data, {text}, [&] { make("none", geometry); });
  };
  refused(&Geometry::width, "make_scheme: geometry.width is -1, expected at least 1");
  refused(&Geometry::heads, "make_scheme: geometry.heads is -1, expected at least 1");
  refused(&Geometry::head_size, "make_scheme: geometry.head_size is -1, expected at least 1");
  refused(&Geometry::layers, "make_scheme: geometry.layers is -1, expected at least 1");
  refused(&Geometry::max_length,
          "make_scheme: geometry.max_length is -1, expected at least 1, or 0 for none known");
}

}  // namespace
}  // namespace locus
