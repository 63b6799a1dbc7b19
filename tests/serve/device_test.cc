// A service whose model is in memory that the host cannot read: the answers of the CPU.
#include <gtest/gtest.h>

#include "tests/apply/expected.h"
#include "tests/other_device.h"
#include "tests/serve/collected_reply.h"

namespace locus::serve {
namespace {

using locus::testing::expect_same;
using locus::testing::other_device;

// The part of an answer that a pointer names, of a service on either device.
std::vector<std::string> answers(const std::string& folder, const std::vector<std::string>& bodies,
                                 const std::string& path) {
  std::vector<std::string> all;
  for (const Device device : {Device::cpu, other_device()}) {
    Service service(ServiceOptions{.folder = golden_model(folder), .device = device});
    service.wait_until_ready();
    for (const std::string& body : bodies) {
      const HttpAnswer answer = ask(service, path, body);
      EXPECT_EQ(answer.status, 200) << answer.body;
      all.push_back(answer.body);
    }
  }
  return all;
}

TEST(ServeOnADevice, GivesTheVectorsOfTheCpu) {
  const std::vector<std::string> all =
      answers("embed", {R"({"input": ["The dog ran.", "It sat."]})"}, "/v1/embeddings");
  const Parsed cpu(all[0]), other(all[1]);
  for (const char* vector : {"/data/0/embedding", "/data/1/embedding"}) {
    EXPECT_FALSE(cpu.numbers(vector).empty());
    expect_same(other.numbers(vector), cpu.numbers(vector), vector);
  }
}

TEST(ServeOnADevice, WritesTheTextsOfTheCpu) {
  const std::vector<std::string> all = answers(
      "write", {R"({"prompt": ["the dog", "it"], "max_tokens": 8, "temperature": 0})"}, "/v1/completions");
  const Parsed cpu(all[0]), other(all[1]);
  for (const char* text : {"/choices/0/text", "/choices/1/text"}) EXPECT_EQ(other.text(text), cpu.text(text));
}

}  // namespace
}  // namespace locus::serve
