#include "locus/base/fields.h"

#include <gtest/gtest.h>

#include "locus/base/error.h"

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
  EXPECT_EQ(again.dim, 0.1f);  // the shortest text that reads back to the same float
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
  EXPECT_EQ(problems[0], "watts is '0', expected a whole number from 1 to 1000");
  EXPECT_EQ(problems[1], "dim is 'nan', expected a number from 0 to 1");
  EXPECT_EQ(problems[2], "on is 'yes', expected true or false");
  EXPECT_EQ(problems[3], "colour is 'gren', expected one of red|green|blue; did you mean 'green'?");
  EXPECT_EQ(problems[4], "unknown option 'rom'; did you mean 'room'?; it has watts, dim, on, colour, room");
}

TEST(Fields, OneErrorForAll) {
  EXPECT_NO_THROW(refuse("lamp", {}));
  try {
    refuse("lamp.toml", {"a is wrong", "b is wrong"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "lamp.toml: 2 problems\n  a is wrong\n  b is wrong");
    EXPECT_EQ(error.fault(), Fault::usage);
  }
}

}  // namespace
}  // namespace locus
