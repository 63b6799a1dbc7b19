#include "locus/dist/transport.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/expect_error.h"

namespace locus::dist {
namespace {

ConstBytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
Bytes room_in(std::string& text) { return std::as_writable_bytes(std::span(text)); }

TEST(Alone, ExchangesWithItself) {
  const auto alone = open_alone();
  EXPECT_EQ(alone->rank(), 0);
  EXPECT_EQ(alone->size(), 1);
  const std::string sent = "four";
  std::string gathered(4, ' '), received(4, ' ');
  alone->all_gather(bytes_of(sent), std::array{room_in(gathered)});
  alone->all_to_all(std::array{bytes_of(sent)}, std::array{room_in(received)});
  alone->barrier();
  alone->abort("nobody hears it");
  EXPECT_EQ(gathered, sent);
  EXPECT_EQ(received, sent);
}

TEST(Alone, RefusesCallsThatCannotBeRight) {
  const auto alone = open_alone();
  const std::string sent = "four";
  std::string room(3, ' ');
  expect_error(Fault::data, {"send", "0"}, [&] { alone->send(0, bytes_of(sent)); });
  expect_error(Fault::data, {"receive", "1"}, [&] { alone->receive(1, room_in(room)); });
  expect_error(Fault::data, {"receive", "-1"}, [&] { alone->receive(-1, room_in(room)); });
  expect_error(Fault::data, {"4", "3"},
               [&] { alone->all_gather(bytes_of(sent), std::array{room_in(room)}); });
  expect_error(Fault::data, {"0", "1"}, [&] { alone->all_gather(bytes_of(sent), {}); });
  expect_error(Fault::data, {"1", "0"}, [&] { alone->all_to_all(std::array{bytes_of(sent)}, {}); });
  const ConstBytes huge(bytes_of(sent).data(), kMostMessageBytes + 1);  // refused before anything reads it
  expect_error(Fault::data, {"1099511627777"},
               [&] { alone->all_to_all(std::array{huge}, std::array{room_in(room)}); });
}

}  // namespace
}  // namespace locus::dist
