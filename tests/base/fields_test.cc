#include "locus/base/fields.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"

namespace locus {
namespace {

enum class Colour { red, green, blue };

struct Lamp {
  int64_t watts = 60;
  float dim = 0.25f;
  bool on = false;
  Colour colour = Colour::green;
  std::string room = "hall";

  template <class V>
  void fields(V& v) {
    v.integer("watts", watts, 1, 1000, "power");
    v.number("dim", dim, 0, 1, "how much is taken away");
    v.flag("on", on, "whether it burns");
    v.choice("colour", colour, "red|green|blue", "its light");
    v.text("room", room, "where it stands");
  }
};

TEST(Fields, WrittenAndReadBackAreTheSame) {
  Lamp lamp{.watts = 5, .dim = 0.1f, .on = true, .colour = Colour::blue, .room = "a, \"b\""};
  Lamp again;
  EXPECT_TRUE(read_fields(again, field_values(lamp)).empty());
  EXPECT_EQ(field_values(again), field_values(lamp));
  EXPECT_EQ(again.dim, 0.1f);  // written as the shortest text that reads back to the same float
  EXPECT_EQ(again.colour, Colour::blue);
}

TEST(Fields, WhatIsNotGivenStays) {
  Lamp lamp;
  EXPECT_TRUE(read_fields(lamp, {{"colour", "red"}}).empty());
  EXPECT_EQ(lamp.colour, Colour::red);
  EXPECT_EQ(lamp.watts, 60);
}

TEST(Fields, EveryProblemIsListed) {
  Lamp lamp;
  const auto problems = read_fields(
      lamp, {{"colour", "gren"}, {"watts", "0"}, {"dim", "nan"}, {"rom", "kitchen"}, {"on", "yes"}});
  ASSERT_EQ(problems.size(), 5u);
  expect_named(problems[0], {"watts", "'0'", "1", "1000"});
  expect_named(problems[1], {"dim", "'nan'", "0", "1"});
  expect_named(problems[2], {"on", "'yes'", "true", "false"});
  expect_named(problems[3], {"colour", "'gren'", "red|green|blue", "'green'"});
  expect_named(problems[4], {"'rom'", "'room'", "watts, dim, on, colour, room"});
}

TEST(Fields, OneErrorForAll) {
  EXPECT_NO_THROW(refuse("lamp", {}));
  expect_error(Fault::usage, Code::none, {"lamp.toml", "2", "\n  a is wrong\n  b is wrong"}, [] {
    refuse("lamp.toml", {"a is wrong", "b is wrong"});
  });
}

TEST(Fields, UnknownNamesHaveTheirCode) {
  const auto read = [](const OptionValues& values) {
    Lamp lamp;
    refuse("lamp", read_fields(lamp, values));
  };
  expect_error(Fault::usage, Code::unknown_option, {"lamp", "'rom'", "'room'"}, [&] {
    read({{"rom", "kitchen"}});
  });
  expect_error(Fault::usage, Code::unknown_option, {"lamp", "2", "'rom'", "'wats'"}, [&] {
    read({{"rom", "kitchen"}, {"wats", "3"}});
  });
  expect_error(Fault::usage, Code::none, {"lamp", "2", "'rom'", "watts", "'0'"}, [&] {
    read({{"rom", "kitchen"}, {"watts", "0"}});
  });
}

}  // namespace
}  // namespace locus
