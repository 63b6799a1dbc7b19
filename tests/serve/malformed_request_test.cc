// Bytes that are no valid request, and requests that servers and proxies could read differently. Each is
// refused with the status that its case names, and the connection ends.
#include <gtest/gtest.h>

#include "tests/program.h"
#include "tests/serve/echo_server.h"

namespace locus::serve {
namespace {

class MalformedRequest : public ::testing::Test {
 protected:
  // Refused with this status and these words, and nothing that follows is read as a request.
  void expect_refused(int status, const std::string& bytes, std::string_view words = "") {
    const std::string answer = echo_.answer_to(bytes + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(status_of(answer), status) << bytes.substr(0, 200) << "\n" << answer;
    EXPECT_TRUE(contains(answer, words)) << answer;
    EXPECT_TRUE(contains(answer, "connection: close"));
    EXPECT_FALSE(contains(answer, "smuggled")) << bytes.substr(0, 200);
    EXPECT_EQ(answer.find("x-request-id"), answer.rfind("x-request-id")) << "a second answer";
  }
  void expect_head_refused(int status, const std::string& headers, std::string_view words = "") {
    expect_refused(status, "POST /x HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n", words);
  }
  void expect_chunks_refused(int status, const std::string& chunks, std::string_view words = "") {
    expect_head_refused(status, "Transfer-Encoding: chunked\r\n\r\n" + chunks, words);
  }

  EchoServer echo_;
};

TEST_F(MalformedRequest, BothLengthAndChunks) {
  expect_head_refused(400, "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  expect_head_refused(400, "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n");
}

TEST_F(MalformedRequest, RepeatedLength) {
  expect_head_refused(400, "Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc");
  expect_head_refused(400, "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc");
  expect_head_refused(400, "Content-Length: 3, 3\r\n\r\nabc");
}

TEST_F(MalformedRequest, LengthThatIsNoNumber) {
  for (const char* const length : {"-1", "+3", "0x3", "3 3", "3.0", "", "18446744073709551616", "three"}) {
    expect_head_refused(400, std::string("Content-Length: ") + length + "\r\n\r\nabc");
  }
}

TEST_F(MalformedRequest, UnknownTransferEncoding) {
  for (const char* const encoding :
       {"gzip, chunked", "chunked, identity", "xchunked", "identity", "\"chunked\""}) {
    expect_head_refused(501, std::string("Transfer-Encoding: ") + encoding + "\r\n\r\n0\r\n\r\n",
                        "transfer encoding");
  }
  expect_head_refused(400, "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  expect_refused(400, "POST /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
}

TEST_F(MalformedRequest, SpaceBeforeTheColon) {
  expect_head_refused(400, "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n");
  expect_head_refused(400, " Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
}

TEST_F(MalformedRequest, BadChunkSize) {
  for (const char* const chunk :
       {"x\r\n", "-1\r\na", "+1\r\na\r\n", "0x1\r\na\r\n", " 1\r\na\r\n", "\r\n", "1;\x01\r\n",
        "fffffffffffffffff\r\n", "1\na\n", "1\r\nab\r\n", "1\r\na0\r\n\r\n"}) {
    expect_chunks_refused(400, std::string(chunk) + "0\r\n\r\n");
  }
}

TEST_F(MalformedRequest, HugeChunk) {
  expect_chunks_refused(413, "7fffffffffffffff\r\n", "too large");
  expect_chunks_refused(413, "ffffffff\r\n", "too large");
  // In all.
  const std::string half(size_t{600} << 10, 'a');
  expect_chunks_refused(413, "96000\r\n" + half + "\r\n96000\r\n" + half + "\r\n", "too large");
}

TEST_F(MalformedRequest, EndlessChunkExtension) {
  expect_chunks_refused(431, "1;" + std::string(100'000, 'a'));
  expect_chunks_refused(431, "0\r\n" + std::string(100'000, 'a'));
}

TEST_F(MalformedRequest, TrailerThatReplacesAHeader) {
  const std::string answer = echo_.answer_to(
      "POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\nX-Request-Id: other\r\nHost: b\r\n\r\n");
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_FALSE(contains(answer, "other"));
  expect_chunks_refused(400, "0\r\nContent-Length: 5\r\n\r\n");
}

TEST_F(MalformedRequest, FoldedHeader) {
  expect_head_refused(400, "X-A: b\r\n c\r\n", "folded");
  expect_head_refused(400, "X-A: b\r\n\tTransfer-Encoding: chunked\r\n", "folded");
}

TEST_F(MalformedRequest, BareLineFeed) {
  expect_refused(400, "GET / HTTP/1.1\nHost: a\n\n", "carriage return");
  expect_head_refused(400, "X-A: b\nX-B: c\r\n", "carriage return");
}

TEST_F(MalformedRequest, BareCarriageReturn) {
  expect_head_refused(400, "X-A: b\rX-B: c\r\n", "carriage return");
  expect_refused(400, "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n", "carriage return");
}

TEST_F(MalformedRequest, ControlBytes) {
  using namespace std::string_literals;
  expect_head_refused(400, "X-A: b\0c\r\n"s, "0x00");
  expect_refused(400, "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", "0x01");
  expect_head_refused(400, "X\x7f: b\r\n", "0x7f");
}

TEST_F(MalformedRequest, HandshakeOfTls) { expect_refused(400, "\x16\x03\x01\x02", "https"); }

TEST_F(MalformedRequest, RepeatedOrMissingHost) {
  expect_head_refused(400, "Host: b\r\n", "host");
  expect_refused(400, "GET / HTTP/1.1\r\n\r\n", "host");
}

TEST_F(MalformedRequest, RepeatedAuthorization) {
  expect_head_refused(400, "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n", "authorization");
}

TEST_F(MalformedRequest, StartLine) {
  for (const char* const line : {"GET", "GET /", "GET  / HTTP/1.1", "/ HTTP/1.1", "GET / HTTP/1.1 ",
                                 "G@T / HTTP/1.1", "GET /a b HTTP/1.1", "GET / http/1.1"}) {
    const std::string answer = echo_.answer_to(std::string(line) + "\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(status_of(answer) == 400 || status_of(answer) == 505) << line << "\n" << answer;
  }
}

TEST_F(MalformedRequest, OtherVersionsOfHttp) {
  expect_refused(505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n");
  expect_refused(505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  expect_refused(505, "GET / HTTP/0.9\r\n\r\n");
}

TEST_F(MalformedRequest, HugeHeaders) {
  expect_head_refused(431, "X-A: " + std::string(20'000, 'a') + "\r\n", "16384 bytes");
  expect_refused(431, "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n");
  std::string many;
  for (int i = 0; i < 200; ++i) many += "a" + std::to_string(i) + ": b\r\n";
  expect_head_refused(431, many);
}

TEST_F(MalformedRequest, HugeBody) {
  expect_head_refused(413, "Content-Length: 1048577\r\n", "1048576 bytes");
  expect_head_refused(413, "Content-Length: 18446744073709551615\r\n");
}

TEST_F(MalformedRequest, EncodedBody) {
  expect_head_refused(415, "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\na");
}

TEST_F(MalformedRequest, AnswersInTheShapeOfTheApi) {
  for (const char* header : {"Content-Length: 1048577", "Content-Encoding: gzip\r\nContent-Length: 1"}) {
    const auto answer = [&](const std::string& path) {
      return echo_.answer_to("POST " + path + " HTTP/1.1\r\nHost: a\r\n" + header + "\r\n\r\na");
    };
    EXPECT_TRUE(contains(answer("/v1/embeddings"), R"("type": "invalid_request_error")")) << header;
    EXPECT_TRUE(contains(answer("/embed"), R"("error_type": "Validation")")) << header;
  }
}

TEST_F(MalformedRequest, EmptyLinesBeforeARequestAreIgnored) {
  const std::string bytes = "\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(body_of(echo_.answer_to(bytes)), "GET /x? ");
  RequestReader reader({});
  for (const char c : bytes) EXPECT_EQ(reader.take({&c, 1}), 1);
  EXPECT_EQ(reader.state(), RequestReader::State::done);
  expect_refused(400, "\r\n\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", "carriage return");
}

}  // namespace
}  // namespace locus::serve
