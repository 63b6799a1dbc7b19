#include "locus/serve/request_log.h"

#include <gtest/gtest.h>

namespace locus::serve {
namespace {

const LogTime kTime{std::chrono::milliseconds(1'700'000'000'042)};

const RequestRecord kRecord{.id = "abc",
                            .address = "127.0.0.1",
                            .method = "POST",
                            .path = "/embed\"",
                            .status = 200,
                            .body_bytes = 7,
                            .answer_bytes = 9,
                            .seconds = 0.0125};

TEST(RequestLog, WritesText) {
  EXPECT_EQ(text_line(kRecord, kTime),
            "2023-11-14T22:13:20.042Z 127.0.0.1 POST /embed\" 200 12.5 ms id=abc request=7 answer=9\n");
  RequestRecord refused{.id = "a", .address = "unix", .status = 400, .log = "two\nlines"};
  EXPECT_EQ(text_line(refused, kTime),
            "2023-11-14T22:13:20.042Z unix - - 400 0.0 ms id=a request=0 answer=0 two\\x0alines\n");
}

TEST(RequestLog, WritesJson) {
  EXPECT_EQ(json_line(kRecord, kTime),
            R"({"time": "2023-11-14T22:13:20.042Z", "id": "abc", "address": "127.0.0.1", "method": "POST", )"
            R"("path": "/embed\"", "status": 200, "seconds": 0.0125, "request_bytes": 7, "answer_bytes": 9})"
            "\n");
  RequestRecord failed = kRecord;
  failed.log = "two\nlines";
  EXPECT_TRUE(json_line(failed, kTime)
                  .ends_with(R"("message": "two\nlines"})"
                             "\n"));
}

}  // namespace
}  // namespace locus::serve
