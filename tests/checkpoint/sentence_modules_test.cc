#include "locus/checkpoint/sentence_modules.h"

#include <gtest/gtest.h>

#include "locus/base/file.h"
#include "tests/checkpoint/safetensors_bytes.h"

namespace locus {
namespace {

SentenceModules modules_of(const std::string& json) {
  const TemporaryFolder folder;
  write_file(folder / kModulesFile, json);
  return read_sentence_modules(folder.path());
}

TEST(SentenceModules, AreAListOfTypesAndFolders) {
  const SentenceModules modules =
      modules_of(R"([{"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}, {"type": "X"}])");
  ASSERT_EQ(modules.list.size(), 2u);
  EXPECT_EQ(modules.list[0].kind, "Pooling");
  EXPECT_EQ(modules.list[0].path, "1_Pooling");
  EXPECT_EQ(modules.list[1].path, "");
}

TEST(SentenceModules, RefusesTextThatIsJsonOnlyInsideAnObject) {
  expect_bad_data(Code::damaged_file, {"modules.json", "JSON"}, [] { modules_of(R"([], "modules": [])"); });
  expect_bad_data({"modules.json", "list"}, [] { modules_of("{}"); });
  expect_bad_data({"modules.json", "path", "../x"}, [] { modules_of(R"([{"type": "X", "path": "../x"}])"); });
}

}  // namespace
}  // namespace locus
