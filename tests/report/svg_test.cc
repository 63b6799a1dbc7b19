#include "locus/report/svg.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "locus/report/arrange.h"
#include "tests/report/well_formed.h"

namespace locus::report {
namespace {

TEST(Svg, EscapesWhatXmlCannotHold) {
  EXPECT_EQ(escape("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
  EXPECT_EQ(escape("\u2212\u4e2d\U0001f600"), "\u2212\u4e2d\U0001f600");
  EXPECT_EQ(escape("a\nb\tc"), "a\nb\tc");
  EXPECT_EQ(escape(std::string_view("\0\x1b", 2)), "\ufffd\ufffd");
  EXPECT_EQ(escape("\xff"), "\ufffd");
  EXPECT_EQ(escape("a\uffff\ufffeb").find("\uffff"), std::string::npos);
  EXPECT_EQ(escape("\ufffd"), "\ufffd");
  EXPECT_EQ(escape("\xc3"), "\ufffd");                      // cut short
  EXPECT_EQ(escape("\xc0\xaf"), "\ufffd\ufffd");            // overlong
  EXPECT_EQ(escape("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");  // a surrogate
  EXPECT_EQ(escape("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");
}

TEST(Svg, LongNamesAreShortenedInTheMiddle) {
  EXPECT_EQ(shortened("rotary", 10, 100), "rotary");
  const std::string name = "rotary:base=500000:pairs=interleaved + yarn";
  const std::string cut = shortened(name, 10, 100);
  EXPECT_LE(text_width(cut, 10), 100);
  EXPECT_GT(text_width(cut, 10), 80);
  EXPECT_TRUE(cut.starts_with("rotary:")) << cut;
  EXPECT_TRUE(cut.ends_with(" + yarn")) << cut;
  EXPECT_EQ(shortened("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 10, 30),
            "\u00e9\u00e9\u2026\u00e9\u00e9");
  EXPECT_EQ(shortened("", 10, 1), "");
}

TEST(Svg, AnyTextMakesAWellFormedFile) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    Drawing drawing = paragraph(text, 100);
    drawing.label = text;
    RC_ASSERT(not_well_formed(svg_file(drawing)) == "");
  }));
}

TEST(Svg, NumbersAreShort) {
  EXPECT_EQ(number(1), "1");
  EXPECT_EQ(number(-0.001), "0");
  EXPECT_EQ(number(12.3456), "12.35");
  EXPECT_EQ(number(1e-9), "0");
}

TEST(Svg, WiderTextIsWider) {
  EXPECT_GT(text_width("head 12", 13), text_width("head 1", 13));
  EXPECT_GT(text_width("wm", 13), text_width("il", 13));
  EXPECT_EQ(text_width("\u4e2d", 13), text_width("x", 13));
}

TEST(Arrange, RowsBreakWhereTheWidthEnds) {
  const Drawing square{.width = 40, .height = 30, .body = "<g/>"};
  const std::vector<Drawing> three(3, square);
  EXPECT_EQ(side_by_side(three, 140, 10).height, 30);
  EXPECT_EQ(side_by_side(three, 139, 10).height, 70);
  EXPECT_EQ(side_by_side(three, 10, 10).height, 110);
  EXPECT_EQ(below_each_other(three, 5).height, 100);
}

TEST(Arrange, ParagraphsBreakBetweenWords) {
  const double one = paragraph("word", 1000).height;
  EXPECT_DOUBLE_EQ(paragraph("word word word", 1000).height, one);
  EXPECT_DOUBLE_EQ(paragraph("word word word", 40).height, 3 * one);
  EXPECT_DOUBLE_EQ(paragraph("word\nword", 1000).height, 2 * one);
  EXPECT_EQ(paragraph("", 100).height, 0);
}

}  // namespace
}  // namespace locus::report
