// Any bytes as the texts of a report page: no text becomes markup. The bytes are split at line feeds, and
// every text of a page with all its elements is one of the pieces. All elements of the page are known and
// nested, and special characters are escaped everywhere.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>

#include "locus/report/page.h"

namespace {

using namespace locus::report;

// Names of elements that pages and drawings use.
constexpr std::string_view kElements[] = {
    "html",    "head",    "meta",    "title",      "style", "body",     "main",    "h1",       "h2",
    "footer",  "div",     "p",       "pre",        "dl",    "dt",       "dd",      "figure",   "svg",
    "g",       "path",    "rect",    "line",       "text",  "circle",   "polygon", "polyline", "ul",
    "li",      "table",   "thead",   "tbody",      "tr",    "th",       "td",      "input",    "label",
    "section", "details", "summary", "figcaption", "tspan", "clipPath", "defs",    "use",      "a"};
constexpr std::string_view kEndOfStyles = "</style>";

void expect(bool right) {
  if (!right) std::abort();
}

// Whether text between tags, or an attribute value, has only escaped characters.
bool escaped(std::string_view text) {
  if (text.find_first_of("<>\"") != std::string_view::npos) return false;
  for (size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
    const std::string_view rest = text.substr(at);
    const bool known =
        std::ranges::any_of(std::initializer_list<std::string_view>{"&amp;", "&lt;", "&gt;", "&quot;"},
                            [&](std::string_view name) { return rest.starts_with(name); });
    if (!known) return false;
  }
  return true;
}

// Checks name="value" pairs up to the end of a tag. Returns the text after the tag, and whether it closed
// itself.
std::pair<std::string_view, bool> after_tag(std::string_view rest) {
  for (;;) {
    if (rest.starts_with("/>")) return {rest.substr(2), true};
    if (rest.starts_with(">")) return {rest.substr(1), false};
    expect(rest.starts_with(' '));
    const size_t equals = rest.find("=\"");
    expect(equals != std::string_view::npos);
    expect(
        std::ranges::all_of(rest.substr(1, equals - 1), [](char c) { return std::isalpha(c) || c == '-'; }));
    rest.remove_prefix(equals + 2);
    const size_t end = rest.find('"');
    expect(end != std::string_view::npos && escaped(rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
}

void check_markup(std::string_view rest) {
  std::vector<std::string_view> open;
  while (!rest.empty()) {
    const size_t next = std::min(rest.find('<'), rest.size());
    expect(escaped(rest.substr(0, next)));
    rest.remove_prefix(next);
    if (rest.empty()) break;
    const bool ends = rest.starts_with("</");
    rest.remove_prefix(ends ? 2 : 1);
    const std::string_view name = rest.substr(0, std::min(rest.find_first_of(" />"), rest.size()));
    expect(std::ranges::count(kElements, name) == 1);
    rest.remove_prefix(name.size());
    if (ends) {
      expect(!open.empty() && open.back() == name && rest.starts_with('>'));
      open.pop_back();
      rest.remove_prefix(1);
      continue;
    }
    const auto [after, whole] = after_tag(rest);
    rest = after;
    if (whole || name == "meta") continue;
    open.push_back(name);
    if (name == "style") rest.remove_prefix(std::min(rest.find(kEndOfStyles), rest.size()));
  }
  expect(open.empty());
}

class Texts {
 public:
  explicit Texts(std::string_view bytes) {
    for (size_t begin = 0; begin <= bytes.size() && pieces_.size() < 32;) {
      const size_t end = std::min(bytes.find('\n', begin), bytes.size());
      pieces_.emplace_back(bytes.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  const std::string& next() { return pieces_[taken_++ % pieces_.size()]; }

 private:
  std::vector<std::string> pieces_;
  size_t taken_ = 0;
};

Figure lines(Texts& texts) {
  LineChart chart{.title = texts.next(), .x_label = texts.next(), .y_label = texts.next()};
  chart.series = {{texts.next(), {1, 2, 3}, {1, 4, 9}}, {texts.next(), {1, 2, 3}, {3, 2, 1}}};
  LineChart named = chart;
  named.named_ends = true;
  named.x_words = {texts.next(), texts.next(), texts.next(), texts.next()};
  named.mark = {2, texts.next()};
  return {.name = "lines", .title = texts.next(), .caption = texts.next(), .charts = {chart, named}};
}

Figure maps(Texts& texts) {
  HeatMap map{
      .title = texts.next(), .x_label = texts.next(), .y_label = texts.next(), .x = {0, 1}, .y = {0, 1}};
  map.words = {texts.next(), texts.next()};
  map.values = {0, 1, 0.5, 0.25};
  return {
      .name = "maps", .title = texts.next(), .caption = texts.next(), .maps = {map}, .colors = texts.next()};
}

Figure bars(Texts& texts) {
  return {.name = "bars",
          .title = texts.next(),
          .caption = texts.next(),
          .bars = {{.title = texts.next(),
                    .bars = {{texts.next(), 1, texts.next()}, {texts.next(), 2, texts.next()}}}}};
}

Figure points(Texts& texts) {
  ScatterChart chart{.title = texts.next(), .x_label = texts.next(), .y_label = texts.next()};
  chart.groups = {texts.next(), texts.next()};
  chart.points = {{texts.next(), 1, 2, 0}, {texts.next(), 2, 1, 1, true}};
  chart.better = texts.next();
  return {.name = "points", .title = texts.next(), .caption = texts.next(), .scatters = {chart}};
}

Page words(Texts& texts) {
  Page page(texts.next());
  const std::vector<std::string> list = {texts.next(), texts.next()};
  page.verdict(list, texts.next());
  page.lead(texts.next());
  page.formula(texts.next());
  page.facts(std::vector<std::pair<std::string, std::string>>{{texts.next(), texts.next()}});
  page.heading(texts.next());
  page.paragraph(texts.next());
  page.note(texts.next());
  page.list(list);
  const std::vector<std::vector<TableCell>> rows = {
      {{.text = texts.next(), .note = texts.next()}, {.text = texts.next(), .shade = 0.5, .shape = 1}}};
  page.table(list, rows, std::vector<ColumnGroup>{{texts.next(), 1, texts.next()}});
  return page;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Texts texts({reinterpret_cast<const char*>(data), size});
  Page page = words(texts);
  page.figures(std::vector<Figure>{lines(texts), maps(texts), bars(texts), points(texts)});
  const std::vector<std::pair<std::string, Page>> parts = {{texts.next(), words(texts)},
                                                           {texts.next(), words(texts)}};
  page.tabs("tab", parts);
  page.details(texts.next(), words(texts));
  const std::string html = page.html();
  constexpr std::string_view kType = "<!doctype html>\n";
  expect(html.starts_with(kType));
  check_markup(std::string_view(html).substr(kType.size()));
  return 0;
}
