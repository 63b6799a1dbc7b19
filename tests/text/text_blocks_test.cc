#include "locus/text/text_blocks.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "locus/text/bpe_files.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

TEST(TextBlocks, HaveTheTokensOfTheWholeText) {
  const Bpe bpe(read_merges(golden_text("learned")));
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'e', 't', '\n', ' ', '.', '\r'));
    put(folder / "x", text);
    std::string joined;
    std::vector<int32_t> ids;
    uint64_t last = 0;
    each_block(
        folder / "x",
        [&](std::string_view block, uint64_t done, uint64_t size) {
          RC_ASSERT(!block.empty() && done > last && size == text.size());
          joined += block;
          last = done;
          for (const int32_t id : bpe.encode(block)) ids.push_back(id);
        },
        *rc::gen::inRange<size_t>(1, 20));
    RC_ASSERT(joined == text);
    RC_ASSERT(last == text.size());
    RC_ASSERT(ids == bpe.encode(text));
  }));
}

}  // namespace
}  // namespace locus
