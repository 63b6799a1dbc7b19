// The page at GET /: what its answer promises the browser.
#include <gtest/gtest.h>

#include <algorithm>

#include "locus/serve/page.h"
#include "tests/apply/expected.h"
#include "tests/serve/collected_reply.h"

namespace locus::serve {
namespace {

std::string header_of(const HttpAnswer& answer, std::string_view name) {
  const auto found = std::ranges::find(answer.headers, name, &std::pair<std::string, std::string>::first);
  return found == answer.headers.end() ? "" : found->second;
}

TEST(Page, ItsPolicyAllowsOnlyItsOwnScripts) {
  Service service({.folder = golden_model("embed")});
  service.wait_until_ready();
  const HttpAnswer first = get(service, "/"), second = get(service, "/");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.type, "text/html; charset=utf-8");
  const std::string policy = header_of(first, "content-security-policy");
  EXPECT_NE(policy, header_of(second, "content-security-policy")) << "the nonce is the same";
  const size_t at = policy.find("'nonce-") + 7;
  const std::string nonce = policy.substr(at, policy.find('\'', at) - at);
  EXPECT_EQ(nonce.size(), 32U);
  EXPECT_EQ(first.body, page_html(nonce));
  EXPECT_NE(first.body.find("<script nonce=\"" + nonce + "\">"), std::string::npos);
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
}

TEST(Page, LearnsTheNameOfTheMask) {
  Service service({.folder = golden_model("fill")});
  service.wait_until_ready();
  EXPECT_EQ(Parsed(get(service, "/info").body).text("/mask_token"), "[MASK]");
}

TEST(Page, LoadsNothingAndInsertsTextOnly) {
  const std::string html = page_html("");
  for (const char* const part : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                                 "<script src", "@import", "url(", " style=", " onclick"}) {
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  }
  // Every address is the name of SVG's elements.
  const std::string kSvg = "http://www.w3.org/2000/svg";
  for (size_t i = html.find("://"); i != std::string::npos; i = html.find("://", i + 1)) {
    EXPECT_EQ(html.substr(i - 4, kSvg.size()), kSvg);
  }
}

}  // namespace
}  // namespace locus::serve
