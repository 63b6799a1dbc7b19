#include "locus/dist/greeting.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>

#include "locus/dist/identity.h"

namespace locus::dist {
namespace {

Greeting full_greeting() {
  return {.rank = 3, .size = 5, .purpose = Purpose::watch, .port = 4711, .job = std::string(64, 'j')};
}

TEST(Greeting, ArrivesAsItWasSent) {
  const Greeting sent = full_greeting();
  const std::optional<Greeting> arrived = decode(encode(sent));
  ASSERT_TRUE(arrived);
  EXPECT_EQ(arrived->answer, Answer::welcome);
  EXPECT_EQ(arrived->rank, 3);
  EXPECT_EQ(arrived->size, 5);
  EXPECT_EQ(arrived->purpose, Purpose::watch);
  EXPECT_EQ(arrived->port, 4711);
  EXPECT_EQ(arrived->job, sent.job);
}

TEST(Greeting, ShortensTheNameOfAJob) {
  EXPECT_EQ(job_name("job7"), "job7");
  EXPECT_EQ(job_name(std::string(65, 'j')).size(), 16);
  EXPECT_NE(job_name(std::string(65, 'j')), job_name(std::string(66, 'j')));
}

TEST(Greeting, RefusesAnotherVersionJobAndSize) {
  const Greeting mine = full_greeting();
  const auto answer = [&](auto change) {
    Greeting theirs = mine;
    change(theirs);
    return answer_to(theirs, mine);
  };
  EXPECT_EQ(answer([](Greeting&) {}), Answer::welcome);
  EXPECT_EQ(answer([](Greeting& theirs) { theirs.version = 2; }), Answer::other_version);
  EXPECT_EQ(answer([](Greeting& theirs) { theirs.job = "other"; }), Answer::other_job);
  EXPECT_EQ(answer([](Greeting& theirs) { theirs.size = 4; }), Answer::other_size);
}

// A number in each place that no rank sends.
TEST(Greeting, IsNotAnyOtherMessage) {
  const auto changed = [](size_t offset, uint32_t value) {
    auto bytes = encode(full_greeting());
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
    return decode(bytes);
  };
  EXPECT_FALSE(changed(0, 0));
  EXPECT_FALSE(changed(12, 5));                              // an unknown answer
  EXPECT_FALSE(changed(16, 5));                              // rank 5 of 5
  EXPECT_FALSE(changed(16, 0xffffffff));                     // a negative rank
  EXPECT_FALSE(changed(20, 0));                              // no ranks
  EXPECT_FALSE(changed(20, kMostRanks + 1));                 // too many
  EXPECT_FALSE(changed(24, 2));                              // an unknown purpose
  EXPECT_FALSE(changed(28, 65536));                          // not a port
  EXPECT_EQ(changed(8, 2).value_or(Greeting{}).version, 2);  // a later version is answered
  const auto bytes = encode(full_greeting());
  EXPECT_FALSE(decode(ConstBytes(bytes).first(95)));
  EXPECT_FALSE(decode({}));
}

// Any bytes are a greeting in its limits, or none.
RC_GTEST_PROP(Greeting, KeepsItsLimitsForAnyBytes, ()) {
  auto bytes = encode(full_greeting());
  const int changes = *rc::gen::inRange(0, 12);
  for (int i = 0; i < changes; ++i) {
    const auto at = static_cast<size_t>(*rc::gen::inRange(8, static_cast<int>(kGreetingBytes)));
    bytes[at] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
  }
  const std::optional<Greeting> greeting = decode(bytes);
  if (!greeting || greeting->version != kProtocolVersion) return;
  RC_ASSERT(greeting->rank >= 0 && greeting->rank < greeting->size && greeting->size <= kMostRanks);
  RC_ASSERT(greeting->port >= 0 && greeting->port <= 65535 && greeting->job.size() <= kMostJobBytes);
}

}  // namespace
}  // namespace locus::dist
