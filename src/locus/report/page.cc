#include "locus/report/page.h"

#include <fmt/format.h>

#include <iterator>

#include "locus/base/version.h"
#include "locus/report/palette.h"
#include "locus/report/scatter_chart.h"
#include "locus/report/svg.h"

namespace locus::report {
namespace {

constexpr const char* kLayout = R"(
*{box-sizing:border-box}
body{margin:0 auto;max-width:74rem;padding:1.5rem 1rem 3rem;overflow-wrap:break-word;font:1rem/1.5 system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .7rem}h2{font-size:1.2rem;margin:0 0 .5rem}main>h2{margin-top:2.2rem}
.lead{font-size:1.15rem;margin:0 0 1rem;max-width:48rem}
.verdict{margin:0 0 1.2rem;padding:.8rem 1.1rem;border-left:.35rem solid;border-radius:.3rem}
.verdict p{margin:0 0 .4rem;max-width:60rem}.verdict .lead{font-size:1.2rem;line-height:1.4}
.note{font-size:.88rem;max-width:60rem;margin:0 0 1rem}.verdict .note{margin:0}
pre{margin:0 0 1rem;padding:.7rem 1rem;border-radius:.4rem;overflow-x:auto;font:.95rem/1.5 ui-monospace,'DejaVu Sans Mono',monospace}
dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.25rem 1.2rem;margin:0 0 2rem;max-width:48rem}
dd{margin:0;overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(30rem,100%),1fr));gap:2.2rem 2rem;margin-bottom:2rem}
figure{margin:0;min-width:0;break-inside:avoid}figure.many,figure.wide,figure.pairs{grid-column:1/-1}
figcaption{font-size:.9rem;margin-top:.4rem;max-width:48rem}
svg{display:block;width:100%;height:auto}
svg.icon{position:absolute;left:.65rem;top:.58em;width:.85em;height:.85em}tbody .iconed{padding-left:2rem}
.wide svg:last-child{display:none}
@media screen and (max-width:44rem){.wide svg:first-child{display:none}.wide svg:last-child{display:block}}
.one.charts svg{max-width:40rem}.one.map svg,.scale svg{max-width:27rem}
.many .panels{display:grid;gap:.8rem;grid-template-columns:repeat(auto-fill,minmax(max(min(10.2rem,45%),22%),1fr))}
.many.charts .panels{grid-template-columns:repeat(auto-fill,minmax(max(min(14rem,100%),22%),1fr))}
.many.worded .panels{grid-template-columns:repeat(auto-fill,minmax(min(15rem,100%),1fr))}
.pairs .panels{display:grid;gap:1.2rem 1.5rem;grid-template-columns:repeat(auto-fill,minmax(min(28rem,100%),1fr))}
:focus-visible{outline:2px solid;outline-offset:2px}
footer{font-size:.85rem}
.scroll{overflow-x:auto;margin:0 0 1rem}
table{border-collapse:collapse;font-size:.95rem}th,td{padding:.26rem .65rem;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
th:first-child,td:first-child{text-align:left;position:sticky;left:0}
thead th{vertical-align:bottom;font-weight:600;font-size:.88rem}tbody th{font-weight:400}.strong{font-weight:600}
th.group{text-align:center;white-space:normal;line-height:1.25}.starts{border-left:1px solid}
.tabs{margin:0 0 1.5rem}.tabs>input{position:absolute;opacity:0}
.tabs>label{display:inline-block;padding:.3rem .8rem;margin:0 .3rem .8rem 0;border-radius:.4rem;cursor:pointer}
.tabs>section{display:none}.tabs>section>h2{display:none}
.tabs>input:focus-visible+label{outline:2px solid;outline-offset:2px}
details{margin:0 0 .6rem;border-radius:.4rem;padding:.5rem .9rem}summary{cursor:pointer;font-weight:600}
details[open]>summary{margin-bottom:.8rem}
ul{padding-left:1.4rem}li{margin:0 0 .5rem;max-width:48rem}
@media screen and (max-width:44rem){body{padding:1rem .8rem 2rem}h1{font-size:1.35rem}.lead,.verdict .lead{font-size:1.05rem}
.verdict{padding:.6rem .8rem}details{padding:.5rem .6rem}table{font-size:.85rem}th,td{padding:.25rem .45rem}
th:first-child{white-space:normal;min-width:7.6rem;max-width:9rem;overflow-wrap:anywhere}svg.icon{left:.3rem}tbody .iconed{padding-left:1.45rem}pre{white-space:pre-wrap}}
@media print{html{font-size:11px}body{max-width:none;padding:0;line-height:1.35}pre{white-space:pre-wrap;margin-bottom:.6rem}
dl,li,.lead,.note,.verdict p,figcaption{max-width:none}dl{margin-bottom:.8rem}li{margin-bottom:.15rem}
.tabs>section{display:block!important}.tabs>section>h2{display:block;margin-top:1.5rem}.tabs>label,.tabs>input{display:none}
h1,h2,summary{break-after:avoid}.scroll,tr,svg{break-inside:avoid}.scroll{overflow:visible}figure.pairs{break-inside:auto}
th:first-child,td:first-child{position:static}.iconed{position:relative!important}
table{font-size:.88rem}th,td{padding:.18rem .38rem}td,.verdict{print-color-adjust:exact;-webkit-print-color-adjust:exact}
details{padding:.5rem 0;border-width:1px 0 0!important;border-radius:0}details::details-content{content-visibility:visible;display:block}
.figures{gap:1rem 1.5rem;margin-bottom:1rem;grid-template-columns:1fr 1fr}.many .panels{max-width:42rem;grid-template-columns:repeat(4,1fr)!important}
.many.worded .panels{grid-template-columns:repeat(2,1fr)!important}
.pairs .panels{grid-template-columns:1fr 1fr;gap:.6rem 1rem}
.one.charts svg{max-width:25rem}.one.map svg,.scale svg{max-width:15rem}}
)";

std::string page_rules(const Theme& theme) {
  return fmt::format(
      "html{{background:{0};color:{1}}}dt,figcaption,footer,.note{{color:{2}}}"
      "pre,details,.tabs>label{{border:1px solid {3}}}th,td{{border-bottom:1px solid "
      "{3}}}.starts{{border-color:{3}}}"
      "th:first-child,td:first-child{{background:{0}}}.tabs>input:checked+label{{background:{1};color:{0}}}"
      ".verdict{{background:{7};border-color:{8}}}.good{{background:{4}}}.partial{{background:{5}}}.bad{{"
      "background:{6}}}",
      theme.background, theme.text, theme.faint, theme.rule, theme.good, theme.partial, theme.bad,
      theme.panel, theme.lines[2]);
}

std::string icon(int shape) {
  constexpr double kSize = 14;
  return fmt::format(R"(<svg class="icon" viewBox="0 0 {0} {0}" aria-hidden="true">{1}</svg>)", kSize,
                     shape_at(static_cast<size_t>(shape), kSize / 2, kSize / 2, kSize * 0.42));
}

std::string hover(std::string_view note) {
  return note.empty() ? "" : fmt::format(" title=\"{}\"", escape(note));
}

std::string cell_element(const TableCell& cell, bool names_row, bool starts_group) {
  constexpr const char* kTones[] = {"", "good", "partial", "bad"};
  std::string classes = kTones[static_cast<size_t>(cell.tone)];
  if (cell.strong) classes += " strong";
  if (cell.shape >= 0) classes += " iconed";
  if (starts_group) classes += " starts";
  std::string attributes = hover(cell.note);
  if (!classes.empty()) attributes += fmt::format(" class=\"{}\"", classes);
  if (cell.shade >= 0) {  // the shades run from dark to bright: dark ones need light text
    const int index = shade(cell.shade, 0, 1);
    attributes += fmt::format(" style=\"background:{};color:{}\"", shade_color(index),
                              index < kShades * 6 / 10 ? "#fff" : "#111");
  }
  return fmt::format("<{0}{1}>{2}{3}</{4}>", names_row ? "th scope=\"row\"" : "td", attributes,
                     cell.shape < 0 ? "" : icon(cell.shape), escape(cell.text), names_row ? "th" : "td");
}

}  // namespace

Page::Page(std::string_view title) : title_(escape(title)) {}

void Page::verdict(std::span<const std::string> sentences, std::string_view remark) {
  body_ += "<div class=\"verdict\">\n";
  for (const std::string& sentence : sentences) {
    body_ += fmt::format("<p{}>{}</p>\n", &sentence == &sentences.front() ? " class=\"lead\"" : "",
                         escape(sentence));
  }
  body_ += fmt::format("<p class=\"note\">{}</p>\n</div>\n", escape(remark));
}

void Page::note(std::string_view text) { body_ += fmt::format("<p class=\"note\">{}</p>\n", escape(text)); }

void Page::lead(std::string_view text) { body_ += fmt::format("<p class=\"lead\">{}</p>\n", escape(text)); }

void Page::formula(std::string_view text) {
  body_ += fmt::format("<pre tabindex=\"0\">{}</pre>\n", escape(text));
}

void Page::facts(std::span<const std::pair<std::string, std::string>> rows) {
  body_ += "<dl>\n";
  for (const auto& [name, value] : rows) {
    fmt::format_to(std::back_inserter(body_), "<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
  }
  body_ += "</dl>\n";
}

void Page::add(const Figure& figure) {
  const std::vector<Drawing> drawings = panels(figure);
  const bool maps = !figure.maps.empty(), words = maps && !figure.maps.front().words.empty();
  const size_t count = drawings.size() - (maps ? 1 : 0);
  const char* const layout = figure.wide ? "wide" : figure.paired ? "pairs" : count > 1 ? "many" : "one";
  fmt::format_to(std::back_inserter(body_), "<figure class=\"{} {}\">\n<h2>{}</h2>\n<div class=\"panels\">\n",
                 layout,
                 words  ? "map worded"
                 : maps ? "map"
                        : "charts",
                 escape(figure.title));
  for (size_t i = 0; i < count; ++i) body_ += svg_element(drawings[i]);
  body_ += "</div>\n";
  if (maps) body_ += fmt::format("<div class=\"scale\">{}</div>\n", svg_element(drawings.back()));
  fmt::format_to(std::back_inserter(body_), "<figcaption>{}</figcaption>\n</figure>\n",
                 escape(figure.caption));
}

void Page::figures(std::span<const Figure> figures) {
  body_ += "<div class=\"figures\">\n";
  for (const Figure& figure : figures) add(figure);
  body_ += "</div>\n";
}

void Page::heading(std::string_view text) { body_ += fmt::format("<h2>{}</h2>\n", escape(text)); }

void Page::paragraph(std::string_view text) { body_ += fmt::format("<p>{}</p>\n", escape(text)); }

void Page::list(std::span<const std::string> items) {
  body_ += "<ul>\n";
  for (const std::string& item : items) body_ += fmt::format("<li>{}</li>\n", escape(item));
  body_ += "</ul>\n";
}

void Page::table(std::span<const std::string> columns, std::span<const std::vector<TableCell>> rows,
                 std::span<const ColumnGroup> groups) {
  body_ += "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>";
  std::vector<bool> starts(columns.size(), false);
  if (!groups.empty()) {
    body_ += "<tr><th></th>";
    size_t column = 1;
    for (const ColumnGroup& group : groups) {
      body_ += fmt::format("<th class=\"group starts\" scope=\"colgroup\" colspan=\"{}\"{}>{}</th>",
                           group.columns, hover(group.note), escape(group.name));
      if (column < starts.size()) starts[column] = true;
      column += group.columns;
    }
    body_ += "</tr>\n";
  }
  body_ += "<tr>";
  for (size_t i = 0; i < columns.size(); ++i) {
    body_ +=
        fmt::format("<th scope=\"col\"{}>{}</th>", starts[i] ? " class=\"starts\"" : "", escape(columns[i]));
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (const std::vector<TableCell>& row : rows) {
    body_ += "<tr>";
    for (size_t i = 0; i < row.size(); ++i)
      body_ += cell_element(row[i], i == 0, i < starts.size() && starts[i]);
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void Page::tabs(std::string_view group, std::span<const std::pair<std::string, Page>> parts) {
  body_ += "<div class=\"tabs\">\n<style>";
  for (size_t i = 0; i < parts.size(); ++i) {
    fmt::format_to(std::back_inserter(body_), "#{0}{1}:checked~#{0}{1}p{{display:block}}", group, i);
  }
  body_ += "</style>\n";
  for (size_t i = 0; i < parts.size(); ++i) {
    fmt::format_to(std::back_inserter(body_),
                   "<input type=\"radio\" name=\"{0}\" id=\"{0}{1}\"{2}/><label for=\"{0}{1}\">{3}</label>\n",
                   group, i, i == 0 ? " checked=\"checked\"" : "", escape(parts[i].first));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    // The heading is for print, where the labels are hidden.
    fmt::format_to(std::back_inserter(body_), "<section id=\"{}{}p\">\n<h2>{}</h2>\n{}</section>\n", group, i,
                   escape(parts[i].first), parts[i].second.body_);
  }
  body_ += "</div>\n";
}

void Page::details(std::string_view summary, const Page& part) {
  body_ += fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape(summary), part.body_);
}

std::string Page::html() const {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}</title>\n"
      "<style>{1}{2}\n@media (prefers-color-scheme:dark){{{3}}}\n{4}</style>\n</head>\n"
      "<body>\n<main>\n<h1>{0}</h1>\n{5}</main>\n<footer>Made by Locus {6}.</footer>\n</body>\n</html>\n",
      title_, kLayout, page_rules(kLight), page_rules(kDark), drawing_style(), body_, version());
}

}  // namespace locus::report
