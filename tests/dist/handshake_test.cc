#include "locus/dist/handshake.h"

#include <gtest/gtest.h>

#include "tests/dist/ranks.h"
#include "tests/expect_error.h"

namespace locus::dist {
namespace {

TEST(Handshake, SendsTextsToAllRanks) {
  const auto errors = run_ranks(3, [](Transport& transport) {
    const std::string own(static_cast<size_t>(transport.rank()) * 1000,
                          static_cast<char>('a' + transport.rank()));
    EXPECT_EQ(gather_texts(transport, own),
              (std::vector<std::string>{"", std::string(1000, 'b'), std::string(2000, 'c')}));
    EXPECT_EQ(broadcast_text(transport, transport.rank() == 0 ? "from 0" : "ignored"), "from 0");
    int64_t number = transport.rank();
    broadcast(transport, std::as_writable_bytes(std::span(&number, 1)));
    EXPECT_EQ(number, 0);
  });
  for (const auto& error : errors) EXPECT_FALSE(error) << error->what();
}

// All ranks fail with the error of the first that differs.
void expect_difference(const Facts& first, const Facts& second, std::initializer_list<const char*> values) {
  const auto errors = run_ranks(
      4, [&](Transport& transport) { require_same(transport, transport.rank() < 2 ? first : second); });
  for (const auto& error : errors) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->fault(), Fault::peer);
    expect_named(*error, values);
  }
}

TEST(Handshake, NamesTheRankTheFactAndBothValues) {
  const Facts facts{{"version", "1"}, {"seed", "7"}, {"empty", ""}};
  for (const auto& error : run_ranks(3, [&](Transport& transport) { require_same(transport, facts); })) {
    EXPECT_FALSE(error) << error->what();
  }
  expect_difference(facts, {{"version", "1"}, {"seed", "8"}, {"empty", ""}}, {"rank 2", "seed", "7", "8"});
  expect_difference(facts, {{"version", "1"}, {"empty", ""}}, {"rank 2", "seed", "7", "nothing"});
  expect_difference({}, facts, {"rank 2", "version", "1", "nothing"});
}

TEST(Handshake, ComparesTheProcessorThatComputes) {
  expect_difference(machine_facts(Device::cuda, "H100"), machine_facts(Device::cuda, "A100"),
                    {"rank 2", "GPU", "A100", "H100"});
  expect_difference(machine_facts(Device::cpu, "AVX2"), machine_facts(Device::cpu, "AVX3"),
                    {"rank 2", "SIMD", "AVX3", "AVX2"});
  expect_difference(machine_facts(Device::cpu, "AVX2"), machine_facts(Device::cuda, "A100"),
                    {"rank 2", "device", "cuda", "cpu"});
}

}  // namespace
}  // namespace locus::dist
