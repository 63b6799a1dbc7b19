#include "locus/scheme/combination.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/expect_error.h"
#include "tests/scheme/making.h"

namespace locus {
namespace {

constexpr Geometry kCombinationGeometry{
    .width = 12, .heads = 3, .head_size = 4, .layers = 2, .max_length = 16};

Made whole(const char* name, const OptionValues& options = {}) {
  return make(name, options, kCombinationGeometry);
}

TEST(Combination, HasTheTermsOfItsParts) {
  const Made both = whole("learned+t5", {{"t5.buckets", "8"}, {"t5.max_distance", "10"}});
  const Made learned = whole("learned"), t5 = whole("t5", {{"buckets", "8"}, {"max_distance", "10"}});
  const auto table = [](const Made& made, const char* name) {
    return made.parameters->at(std::string("position.") + name).value();
  };
  EXPECT_EQ(table(both, "learned.table").values(), table(learned, "table").values());
  EXPECT_NE(table(both, "t5.table").values()[0],
            table(t5, "table").values()[0]);  // from a separate random stream
  table(both, "t5.table").copy_from(table(t5, "table"));

  const Placement placement = Placement::rectangle(2, 9);
  const SchemePass pass = both.scheme->begin(placement);
  const SchemePass input = learned.scheme->begin(placement), scores = t5.scheme->begin(placement);
  EXPECT_EQ(pass.input()->table.value().values(), input.input()->table.value().values());
  EXPECT_TRUE(std::ranges::equal(pass.input()->rows.values(), input.input()->rows.values()));
  EXPECT_FALSE(pass.rotation());
  EXPECT_EQ(pass.scores({}).by_distance->table.value().values(),
            scores.scores({}).by_distance->table.value().values());
  EXPECT_EQ(pass.scores({}).by_distance->zero, scores.scores({}).by_distance->zero);
}

TEST(Combination, IsWhatAllItsPartsAre) {
  EXPECT_FALSE(scheme_info("learned+t5").relative);
  EXPECT_FALSE(scheme_info("learned+t5").extrapolates);
  EXPECT_TRUE(scheme_info("rotary+alibi").relative);
  EXPECT_TRUE(scheme_info("rotary+alibi").extrapolates);
  EXPECT_EQ(&scheme_info("rotary+alibi"), &scheme_info("rotary+alibi"));
}

TEST(Combination, IsCarriedFurtherAsItsParts) {
  const SchemeInfo& info = scheme_info("learned+t5");
  ASSERT_EQ(info.extensions.size(), 1u);
  EXPECT_EQ(info.extensions[0].name, "interpolated");
  EXPECT_EQ(extended(info.extensions[0], 16, 40), (OptionValues{{"learned.stretched", "40"}}));
  EXPECT_EQ(scheme_info("rotary+alibi").extensions.size(), scheme_info("rotary").extensions.size());
  for (const Extension& extension : scheme_info("learned+rotary").extensions)
    EXPECT_EQ(extension.name, "interpolated") << "a rotation for longer texts does not lengthen the table";
}

TEST(Combination, JoinsOnWhatItsInputJoins) {
  EXPECT_EQ(
      whole("alibi+learned", {{"learned.combine", "joined"}, {"learned.width", "5"}}).scheme->joined_width(),
      5);
}

TEST(Combination, RefusesWhatDoesNotGoTogether) {
  const auto refused = [](const char* name, Code code, std::initializer_list<const char*> values) {
    expect_error(Fault::usage, code, values, [&] { scheme_info(name); });
  };
  refused("alibi+t5", Code::none, {"alibi+t5", "alibi", "t5", "score"});
  refused("rotary+learned+xpos", Code::none, {"rotary", "xpos", "rotation"});
  refused("learned+none", Code::none, {"learned+none", "none"});
  refused("lerned+t5", Code::unknown_scheme, {"'lerned'", "'learned'"});
  refused("learned+", Code::unknown_scheme, {"''"});
  expect_error(Fault::usage, Code::unknown_option, {"learned+t5", "'buckets'", "'t5.buckets'"}, [] {
    whole("learned+t5", {{"buckets", "8"}});
  });
}

}  // namespace
}  // namespace locus
