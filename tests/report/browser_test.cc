// Every kind of page in a browser, at the widths of a phone and a desktop: it fits, its lines show their
// values, its tabs work, and the console stays empty. A copy of each page gets a script that checks it from
// inside and reports to the page around it, whose text the browser prints. One more copy uses the print rules
// on screen. Skipped without Chromium; ./run browser installs it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "locus/base/file.h"
#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr int kWidths[] = {390, 1440};

// Reports: a page wider than its window, text outside its drawing or too small to read, overlapping names, a
// wide chart that is narrow, a focused line that hides its values or does not stand out, a tab that shows
// another part, details that do not open, a verdict that is not at the top; in print, a hidden part.
constexpr const char* kLook = R"(<script>
const problems = [], wrong = text => problems.push(text);
addEventListener('error', event => wrong('error: ' + event.message));
const all = (query, root = document) => [...root.querySelectorAll(query)];
const seen = element => element.getClientRects().length > 0 && element.checkVisibility();
function fits(when) {
  const page = document.documentElement;
  if (page.scrollWidth > innerWidth) wrong(when + ': the page is ' + page.scrollWidth + ' wide');
  for (const name of all('tbody th').filter(seen)) {
    if (name.getBoundingClientRect().width < 70) wrong(when + ': no room for "' + name.textContent + '"');
  }
  for (const text of all('svg text').filter(text => seen(text) && text.textContent)) {
    const inner = text.getBoundingClientRect(), outer = text.closest('svg').getBoundingClientRect();
    if (inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 ||
        inner.bottom > outer.bottom + 1) wrong(when + ': "' + text.textContent + '" leaves the drawing of ' +
        text.closest('svg').getAttribute('aria-label'));
    const drawing = text.closest('svg'), scale = outer.width / drawing.viewBox.baseVal.width;
    if (text.getAttribute('font-size') * scale < 8) wrong(when + ': "' + text.textContent + '" is too small');
  }
  const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
  for (const chart of all('figure svg').filter(seen)) {
    const names = all('.series > text, .point > text', chart);
    const boxes = names.map(name => name.getBoundingClientRect());
    boxes.forEach((box, i) => boxes.slice(0, i).forEach((other, j) => {
      if (overlap(box, other)) wrong('"' + names[i].textContent + '" is on "' + names[j].textContent + '"');
    }));
  }
  for (const row of all('.iconed').filter(seen)) {
    const text = document.createRange(), icon = row.querySelector('svg').getBoundingClientRect();
    text.selectNodeContents(row.lastChild);
    const line = text.getClientRects()[0];
    if (icon.bottom < line.top || icon.top > line.bottom || icon.right > line.left) {
      wrong(when + ': the icon of ' + row.textContent + ' is not before its name');
    }
  }
  for (const chart of all('.wide svg').filter(seen)) {
    const width = chart.getBoundingClientRect().width, scale = width / chart.viewBox.baseVal.width;
    if (width < 0.88 * Math.min(innerWidth, 1088)) wrong('a wide chart is narrow');
    if (scale < 0.75 || scale > 1.25) wrong('a chart drawn for another width');
  }
}
function lines() {
  const shown = all('.series').filter(seen);
  for (const line of shown) {
    line.focus();
    const values = all('.value', line);
    if (values.some(value => !seen(value))) wrong('a line that has the focus hides its values');
    if (all('.mark', line).length !== values.length) wrong('a dot without a value');
    const others = all('.series', line.closest('svg')).filter(other => other !== line);
    if (others.some(other => getComputedStyle(other).opacity > 0.5)) wrong('a focused line does not stand out');
    line.blur();
    if (values.some(seen)) wrong('a line that lost the focus shows its values');
  }
  return shown.length;
}
function tabs() {
  const inputs = all('.tabs > input');
  for (const input of inputs) {
    input.focus();
    if (document.activeElement !== input) wrong('a tab the keyboard cannot reach');
    input.click();
    const open = all('.tabs > section').filter(seen).map(section => section.id);
    if (open.join() !== input.id + 'p') wrong(input.id + ' shows ' + open.join());
    fits(input.id);
    lines();
  }
  if (inputs.length) inputs[0].click();
  return inputs.length;
}
function details() {
  const list = all('details');
  for (const fold of list) {
    fold.querySelector('summary').click();
    if (!fold.open) wrong('details that do not open');
  }
  return list.length;
}
function print_rules() {
  const parts = all('.tabs > section'), folds = all('details');
  if (parts.some(part => !seen(part))) wrong('a tab that is not printed');
  if (all('.tabs > label').some(seen)) wrong('tab labels in print');
  if (parts.some(part => !seen(part.querySelector('h2')))) wrong('a tab without its name in print');
  if (all('details > *').some(part => !part.checkVisibility())) wrong('details that are not printed');
  const count = {print: parts.length, details: folds.length, hover: 1};
  parent.postMessage(innerWidth + ' ' + JSON.stringify(count) + ' ' + problems.join('; '), '*');
}
addEventListener('load', () => setTimeout(() => {
  if (location.search === '?print') return print_rules();
  const verdict = document.querySelector('.verdict');
  if (verdict && verdict.getBoundingClientRect().bottom > 700) wrong('the verdict is below the first screen');
  fits('closed');
  const count = {tabs: tabs(), details: details()};
  fits('open');
  count.lines = lines();
  count.hover = all('style').some(style => style.textContent.includes('.series:hover .value')) ? 1 : 0;
  parent.postMessage(innerWidth + ' ' + JSON.stringify(count) + ' ' + problems.join('; '), '*');
}));
</script></head>)";

std::string frame_of(const std::string& name, int width) {
  return fmt::format("<iframe src='{}' style='border:0;width:{}px;height:900px'></iframe>", name, width);
}

// A page with its print rules on screen.
std::string with_print_rules(std::string page) {
  const std::string rule = "@media print";
  for (size_t at = 0; (at = page.find(rule, at)) != std::string::npos;)
    page.replace(at, rule.size(), "@media all");
  return page;
}

bool has_browser() { return std::system("command -v chromium >/dev/null") == 0; }

class BrowserSlow : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_browser()) GTEST_SKIP() << "no chromium: ./run browser installs it and runs these tests";
  }

  // One line per page and width, "WIDTH {counts} problems"; last the first page with its print rules.
  std::string checked(const std::vector<fs::path>& pages) {
    std::string host =
        "<!doctype html><pre id='said'></pre><script>onmessage = event => said.textContent += "
        "event.data + ' END\\n';</script>";
    for (size_t i = 0; i < pages.size(); ++i) {
      std::string page = read_file(pages[i]);
      const size_t head = page.find("</head>");
      EXPECT_NE(head, std::string::npos) << pages[i];
      const std::string name = fmt::format("checked-{}.html", i);
      put(folder / name, page.replace(head, 7, kLook));
      for (const int width : kWidths) host += frame_of(name, width);
    }
    host += frame_of("print.html?print", kWidths[1]);
    put(folder / "print.html", with_print_rules(read_file(folder / "checked-0.html")));
    put(folder / "host.html", host);
    const std::string command = fmt::format(
        "chromium --headless --no-sandbox --disable-gpu --user-data-dir='{0}/profile' --hide-scrollbars "
        "--enable-logging=stderr --virtual-time-budget=60000 --dump-dom 'file://{0}/host.html' >'{0}/dom' "
        "2>'{0}/log' </dev/null",
        folder.path().string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(read_file(folder / "log").find(":CONSOLE"), std::string::npos) << read_file(folder / "log");
    return read_file(folder / "dom");
  }

  fs::path page(const std::string& name, const std::string& arguments) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.err;
    return folder / name;
  }

  const TemporaryFolder folder;
};

TEST_F(BrowserSlow, EveryKindOfPageFitsAndWorks) {
  const auto out = [&](const std::string& name) { return " --out " + (folder / name).string(); };
  put(folder / "x.txt", std::string(600, 'a') + std::string(600, 'b'));
  put(folder / "run.toml",
      "[model]\nwidth = 16\nlayers = 1\nheads = 2\n[data]\ntrain = 'x.txt'\nvalidation_split = 0.2\n"
      "context = 16\n[train]\nsteps = 4\neval_every = 2\n");
  const std::string golden = LOCUS_GOLDEN "/family/";
  const std::string said =
      checked({page("study/report.html",
                    "compare --schemes none,learned,rotary:base=500000:pairs=interleaved:truncate=false,t5 "
                    "--tasks language,back --lengths 128 --steps "
                    "1 --seeds 1" +
                        out("study")),
               page("show.html", "show t5" + out("show.html")),
               page("rotary.html", "show rotary" + out("rotary.html")),
               page("inspect.html", "inspect " + golden + "bert" + out("inspect.html")),
               page("explain.html", "explain" + out("explain.html")),
               page("run/training.html", "train " + (folder / "run.toml").string() + out("run"))});
  for (const int width : kWidths) {
    // The report has two tabs, and details for two tasks and four schemes; the other pages have neither.
    const auto expect = [&](const std::string& counts) {
      EXPECT_NE(said.find(fmt::format("{} {{\"tabs\":{}", width, counts)), std::string::npos) << said;
    };
    expect("2,\"details\":6,");
    expect("0,\"details\":0,");
  }
  EXPECT_NE(said.find("1440 {\"print\":2,\"details\":6,"), std::string::npos) << said;
  size_t pages = 0;
  for (size_t at = 0; (at = said.find("\"hover\":1}  END", at)) != std::string::npos; ++at) ++pages;
  EXPECT_EQ(pages, 13u) << "a page has problems, or did not report\n" << said.substr(0, 8000);
}

}  // namespace
}  // namespace locus
