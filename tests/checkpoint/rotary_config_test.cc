// The two spellings of rotary settings in config.json: each alone reads as both together, and contradictions
// are errors. tools/parity_stretch.py opens written folders in both generations of transformers.
#include "locus/checkpoint/rotary_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "locus/checkpoint/stretch.h"
#include "locus/nn/blueprint_fields.h"
#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

const fs::path kFamilies = fs::path(LOCUS_GOLDEN) / "family";

std::set<std::string> rotary_families() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFamilies)) {
    const Config config(entry.path() / "config.json");
    if (config.has("rope_parameters")) names.insert(entry.path().filename());
  }
  return names;
}

constexpr std::string_view kOlder[] = {
    "rope_scaling",          "rope_theta",        "rotary_emb_base",  "rotary_pct",
    "partial_rotary_factor", "global_rope_theta", "local_rope_theta", "rope_local_base_freq"};

Blueprint with(const fs::path& config, const json::Members& changes) {
  return read_architecture(Config(changed_config(config, changes), config)).blueprint;
}

// A family whose older spelling cannot express the settings has null there.
bool expresses(const Config& config) {
  return std::ranges::none_of(kOlder, [&](std::string_view name) { return config.is_null(name); });
}

TEST(RotaryConfig, EitherSpellingAloneIsTheWholeRotation) {
  const std::set<std::string> families = rotary_families();
  ASSERT_GT(families.size(), 20u);
  for (const std::string& family : families) {
    SCOPED_TRACE(family);
    const TemporaryFolder to;
    const ModelFolder folder = open_model(kFamilies / family);
    save_model(folder, to / "again");
    const fs::path file = to / "again" / "config.json";
    const OptionValues before = field_values(folder.architecture.blueprint);
    EXPECT_EQ(field_values(with(file, {})), before);
    json::Members without_older;
    for (const std::string_view name : kOlder) without_older.emplace_back(name, "");
    EXPECT_EQ(field_values(with(file, without_older)), before);
    if (!expresses(Config(file))) continue;
    EXPECT_EQ(field_values(with(file, {{"rope_parameters", ""}})), before);
  }
}

// The stretched config.json of a family.
class Longer {
 public:
  Longer(const std::string& family, Stretch how) : folder_(family) {
    stretched = stretch_model(open_model(folder_.path()), 64, how, folder_ / "longer");
  }
  Config config() const { return Config(folder_ / "longer" / "config.json"); }
  Stretched stretched;

 private:
  FolderOf folder_;
};

void expect_numbers(const Config& config, const std::vector<std::pair<std::string, double>>& wanted) {
  for (const auto& [name, value] : wanted) EXPECT_EQ(config.number(name, 0, 1e15, -1), value) << name;
}

TEST(RotaryConfig, WritesTheNamesOfEachFamily) {
  const Config mistral = Longer("mistral", Stretch::linear).config();  // from 32 tokens
  expect_numbers(mistral, {{"rope_theta", 300},
                           {"rope_scaling.factor", 2},
                           {"rope_parameters.factor", 2},
                           {"rope_parameters.rope_theta", 300}});
  EXPECT_EQ(mistral.text("rope_scaling.rope_type"), "linear");
  const Config neox = Longer("neox", Stretch::yarn).config();
  expect_numbers(neox, {{"rotary_emb_base", 200},
                        {"rotary_pct", 0.5},
                        {"rope_scaling.factor", 2},
                        {"rope_scaling.original_max_position_embeddings", 32}});
  EXPECT_FALSE(neox.has("rope_theta"));
  for (const char* family : {"phi", "stablelm"}) {
    const Config config = Longer(family, Stretch::linear).config();
    EXPECT_EQ(config.number("partial_rotary_factor", 0, 1),
              config.number("rope_parameters.partial_rotary_factor", 0, 1));
    EXPECT_EQ(config.number("rope_theta", 1, 1e15), config.number("rope_parameters.rope_theta", 1, 1e15));
    EXPECT_EQ(config.number("rope_scaling.factor", 1, 100), 2);
  }
  EXPECT_FALSE(Longer("mistral", Stretch::ntk).config().has("rope_scaling"));
}

// Classes that count the members of rope_scaling.
TEST(RotaryConfig, WritesExactlyTheMembersThatStrictClassesAccept) {
  const Longer longer("olmo2", Stretch::linear);
  const Config olmo = longer.config();
  EXPECT_EQ(olmo.count("rope_scaling"), 2);
  EXPECT_EQ(olmo.text("rope_scaling.type"), "linear");
  EXPECT_NE(read_file(olmo.path()).find("\"factor\": 2.0"), std::string::npos) << "an integer is refused";
  const TemporaryFolder to;
  save_model(open_model(kFamilies / "phi3"), to / "again");
  const Config phi(to / "again" / "config.json");
  EXPECT_EQ(phi.count("rope_scaling"), 3);
  EXPECT_EQ(phi.text("rope_scaling.type"), "longrope");
  EXPECT_EQ(phi.count("rope_scaling.short_factor"), 2);
  EXPECT_EQ(phi.integer("original_max_position_embeddings", 1, 100), 8);
}

TEST(RotaryConfig, WritesBothRotationsOfAFamilyWithTwo) {
  const Config modern = Longer("modernbert", Stretch::ntk).config();
  EXPECT_GT(modern.number("global_rope_theta", 1, 1e15), 500);
  EXPECT_EQ(modern.number("local_rope_theta", 1, 1e15), 50);
  const FolderOf folder("gemma3");
  folder.change("\"linear\"", "\"default\"");
  stretch_model(open_model(folder.path()), 64, Stretch::linear, folder / "longer");
  const Config gemma(folder / "longer" / "config.json");
  expect_numbers(gemma, {{"rope_theta", 700}, {"rope_local_base_freq", 60}, {"rope_scaling.factor", 2}});
}

// Older versions read the base first, so null there makes them fail.
TEST(RotaryConfig, WritesNullWhereOlderVersionsWouldComputeSomethingElse) {
  const Longer longer("modernbert", Stretch::yarn);
  EXPECT_TRUE(longer.stretched.only_newer);
  const Config modern = longer.config();
  EXPECT_TRUE(modern.is_null("global_rope_theta"));
  EXPECT_FALSE(modern.has("rope_scaling"));
  const FolderOf folder("mistral");  // older versions would scale by 32 / 8, not by 3
  folder.change("\"rope_type\": \"default\"",
                R"("rope_type": "yarn", "factor": 3, "original_max_position_embeddings": 8)");
  save_model(open_model(folder.path()), folder / "again");
  EXPECT_TRUE(Config(folder / "again" / "config.json").is_null("rope_theta"));
  EXPECT_EQ(open_model(folder / "again").architecture.blueprint.scheme_options.at("factor"), "3");
  EXPECT_FALSE(Longer("mistral", Stretch::yarn).stretched.only_newer);
}

// A YaRN for the whole length: older versions take the factor only without an original length.
TEST(RotaryConfig, LeavesOutAnOriginalLengthThatIsTheLength) {
  const FolderOf folder("mistral");
  folder.change("\"rope_type\": \"default\"",
                R"("rope_type": "yarn", "factor": 3, "original_max_position_embeddings": 32)");
  save_model(open_model(folder.path()), folder / "again");
  const Config config(folder / "again" / "config.json");
  EXPECT_FALSE(config.has("rope_scaling.original_max_position_embeddings"));
  EXPECT_EQ(config.number("rope_scaling.factor", 1, 10), 3);
}

struct Contradiction {
  const char *family, *from, *to;
  std::vector<const char*> values;
};
const Contradiction kContradictions[] = {
    {"mistral",
     "\"model_type\"",
     R"("rope_theta": 77, "model_type")",
     {"rope_parameters.rope_theta", "300", "rope_theta", "77"}},
    {"neox",
     "\"model_type\"",
     R"("rotary_emb_base": 77, "model_type")",
     {"rope_parameters.rope_theta", "200", "rotary_emb_base", "77"}},
    {"neox",
     "\"model_type\"",
     R"("rotary_pct": 1, "model_type")",
     {"rope_parameters.partial_rotary_factor", "0.5", "rotary_pct", "1"}},
    {"mistral",
     "\"model_type\"",
     R"("rope_theta": 300, "rope_scaling": {"type": "linear", "factor": 2}, "model_type")",
     {"rope_scaling.rope_type", "linear", "rope_parameters.rope_type", "none"}},
    {"mistral",
     "\"model_type\"",
     R"("rope_scaling": {"rope_type": "default", "rope_theta": 5}, "model_type")",
     {"rope_scaling.rope_theta", "5", "rope_parameters.rope_theta", "300"}},
    {"gemma3",
     "\"model_type\"",
     R"("rope_local_base_freq": 9, "model_type")",
     {"rope_parameters.sliding_attention.rope_theta", "60", "rope_local_base_freq", "9"}},
    {"gemma3",
     "\"model_type\"",
     R"("rope_scaling": {"rope_type": "linear", "factor": 8}, "model_type")",
     {"rope_scaling.factor", "8", "rope_parameters.full_attention.factor", "2"}},
    {"modernbert",
     "\"model_type\"",
     R"("rope_scaling": {"type": "linear", "factor": 2}, "model_type")",
     {"rope_scaling.rope_type", "linear", "rope_parameters.full_attention.rope_type"}},
    {"phi3",
     "\"original_max_position_embeddings\": 8,\n  \"pad",
     "\"original_max_position_embeddings\": 9,\n  \"pad",
     {"rope_parameters.original_max_position_embeddings", "8", "original_max_position_embeddings", "9"}},
};

TEST(RotaryConfig, RefusesSpellingsThatContradictEachOther) {
  for (const auto& [family, from, to, values] : kContradictions) {
    SCOPED_TRACE(to);
    const FolderOf folder(family);
    folder.change(from, to);
    try {
      open_model(folder.path());
      ADD_FAILURE() << family;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::data);
      for (const char* value : values)
        EXPECT_NE(error.message().find(value), std::string::npos) << error.what();
    }
  }
}

TEST(RotaryConfig, RefusesAnOriginalLengthThatPhi3WouldIgnore) {
  const FolderOf folder("phi3");
  folder.change("\"original_max_position_embeddings\": 8,\n  \"pad", "\"pad");
  folder.expect_refused({"rope_parameters.original_max_position_embeddings", "8", "4096"});
}

// The families without a rotated part have no field for it, and their classes cannot rotate a part.
TEST(RotaryConfig, RefusesARotatedPartWhereTheFamilyHasNone) {
  const FolderOf folder("mistral");
  folder.change("\"rope_theta\": 300", "\"partial_rotary_factor\": 0.5, \"rope_theta\": 300");
  folder.expect_refused({"rope_parameters.partial_rotary_factor", "0.5", "1"}, Code::unsupported_field);
}

}  // namespace
}  // namespace locus
