#include "locus/serve/access.h"

#include <gtest/gtest.h>

#include "tests/program.h"

namespace locus::serve {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

HttpRequest request_of(const std::string& path, const Given& headers = {},
                       const std::string& method = "POST") {
  return {.method = method, .path = path, .headers = headers};
}

// The status of the refusal, or 0.
int refused(const AccessOptions& options, const std::string& path, const Given& headers = {},
            const std::string& method = "POST") {
  const Admission admission = Access(options).admit(request_of(path, headers, method));
  return admission.answer ? admission.answer->status : 0;
}

std::string header_of(const Admission& admission, std::string_view name) {
  for (const auto& [key, value] : admission.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(Access, IsFreeWithoutKeys) { EXPECT_EQ(refused({}, "/embed", {{"host", "example.org"}}), 0); }

TEST(Access, RequiresOneOfTheKeys) {
  const AccessOptions options{.api_keys = {"first", "second"}};
  for (const char* const value : {"Bearer first", "bearer second", "BEARER   first "}) {
    EXPECT_EQ(refused(options, "/embed", {{"authorization", value}}), 0) << value;
  }
  EXPECT_EQ(refused(options, "/v1/models", {{"x-api-key", "second"}}, "GET"), 0);
  EXPECT_EQ(refused(options, "/embed"), 401);
  for (const char* const value : {"first", "Bearer", "Bearer ", "Bearer firs", "Bearer firstfirst",
                                  "Bearer first second", "Basic first", "Bearer First", "Bearer firsu"}) {
    EXPECT_EQ(refused(options, "/embed", {{"authorization", value}}), 401) << value;
  }
  EXPECT_EQ(refused(options, "/embed", {{"authorization", "Bearer bad"}, {"x-api-key", "first"}}), 401);
}

TEST(Access, SaysWhatKindOfKeyIsMissing) {
  const Admission admission = Access({.api_keys = {"k"}}).admit(request_of("/v1/embeddings"));
  ASSERT_TRUE(admission.answer);
  EXPECT_TRUE(contains(admission.answer->body, "\"invalid_api_key\""));
  EXPECT_TRUE(contains(admission.answer->body, "\"authentication_error\""));
  EXPECT_EQ(header_of(admission, "www-authenticate"), "Bearer");
}

TEST(Access, LeavesSomePathsPublic) {
  AccessOptions options{.api_keys = {"k"}};
  for (const char* const path : {"/health", "/ping", "/metrics"}) EXPECT_EQ(refused(options, path), 0);
  for (const char* const path : {"/health/", "/", "/v1/health", "/HEALTH"})
    EXPECT_EQ(refused(options, path), 401);
  EXPECT_EQ(refused(options, "/", {}, "GET"), 0) << "the page";
  options.metrics_key = "m";
  EXPECT_EQ(refused(options, "/metrics"), 401);
  EXPECT_EQ(refused(options, "/metrics", {{"x-api-key", "k"}}), 401);
  EXPECT_EQ(refused(options, "/metrics", {{"x-api-key", "m"}}), 0);
  EXPECT_EQ(refused(options, "/embed", {{"x-api-key", "m"}}), 401);
}

TEST(Access, ChecksTheHostAgainstRebinding) {
  const AccessOptions options{.loopback_host = true};
  for (const char* const host :
       {"localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:8080", "127.1.2.3", "[::1]", "[::1]:8080"}) {
    EXPECT_EQ(refused(options, "/embed", {{"host", host}}), 0) << host;
  }
  for (const char* const host :
       {"evil.org", "127.0.0.1.evil.org", "localhost.evil.org", "128.0.0.1", "127.0.0", "127.0.0.1.1",
        "127.0.0.", "[::2]", "[::1", "127.0.0.0x1", ":80", "a b"}) {
    EXPECT_EQ(refused(options, "/health", {{"host", host}}), 403) << host;
  }
  EXPECT_EQ(refused(options, "/embed"), 0);  // HTTP/1.0: not a browser
}

TEST(Access, AllowsOneOrigin) {
  const Access access({.cors_origin = "https://a.org"});
  const Admission own = access.admit(request_of("/embed", {{"origin", "https://a.org"}}));
  EXPECT_FALSE(own.answer);
  EXPECT_EQ(header_of(own, "access-control-allow-origin"), "https://a.org");
  EXPECT_EQ(header_of(own, "vary"), "origin");
  const Admission other = access.admit(request_of("/embed", {{"origin", "https://b.org"}}));
  EXPECT_EQ(header_of(other, "access-control-allow-origin"), "");
  EXPECT_EQ(header_of(other, "vary"), "origin");
  EXPECT_TRUE(Access({}).admit(request_of("/embed", {{"origin", "https://a.org"}})).headers.empty());
  const Admission all =
      Access({.cors_origin = "*"}).admit(request_of("/embed", {{"origin", "https://b.org"}}));
  EXPECT_EQ(header_of(all, "access-control-allow-origin"), "*");
}

TEST(Access, AnswersPreflightRequestsWithoutAKey) {
  const AccessOptions options{.api_keys = {"k"}, .cors_origin = "https://a.org"};
  const Given headers = {{"origin", "https://a.org"}, {"access-control-request-method", "POST"}};
  EXPECT_EQ(refused(options, "/embed", headers, "OPTIONS"), 204);
  EXPECT_EQ(refused(options, "/embed", headers, "POST"), 401);
  EXPECT_EQ(refused(options, "/embed",
                    {{"origin", "https://b.org"}, {"access-control-request-method", "POST"}}, "OPTIONS"),
            401);
}

TEST(Access, ReadsKeysFromAFile) {
  EXPECT_EQ(read_api_keys("# for a\r\nkey-a\r\n\n  key-b  \nlast"),
            (std::vector<std::string>{"key-a", "key-b", "last"}));
  EXPECT_TRUE(read_api_keys("").empty());
}

}  // namespace
}  // namespace locus::serve
