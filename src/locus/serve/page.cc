#include "locus/serve/page.h"

#include <fmt/format.h>

#include "locus/report/palette.h"

namespace locus::serve {
namespace {

std::string colors_of(const report::Theme& theme) {
  std::string css =
      fmt::format("--paper:{};--text:{};--faint:{};--rule:{};--panel:{};--bad:{};", theme.background,
                  theme.text, theme.faint, theme.rule, theme.panel, theme.bad);
  for (size_t i = 0; i < theme.lines.size(); ++i) css += fmt::format("--c{}:{};", i, theme.lines[i]);
  return ":root{" + css + "}";
}

constexpr std::string_view kLayout = R"css(
*{box-sizing:border-box}[hidden]{display:none!important}
html{background:var(--paper);color:var(--text);color-scheme:light dark}
body{margin:0 auto;max-width:74rem;padding:1.5rem 1rem 3rem;overflow-wrap:anywhere;font:1rem/1.5 system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
h1{font-size:1.75rem;line-height:1.2;margin:0}h2{font-size:1.1rem;margin:0 0 .5rem}a{color:var(--c0)}
.note,footer,#state{font-size:.88rem;color:var(--faint)}#facts{margin:.2rem 0}
#state{display:flex;flex-wrap:wrap;gap:0 1.2rem;margin:0 0 1.2rem;padding:0;list-style:none;font-variant-numeric:tabular-nums}
.columns{display:grid;gap:1.5rem 2rem;grid-template-columns:minmax(0,1fr) minmax(0,1fr);align-items:start}
fieldset{border:0;margin:0 0 1rem;padding:0}legend{font-weight:600;padding:0}
fieldset input{position:absolute;opacity:0}
fieldset label{display:inline-block;font-weight:400;padding:.25rem .8rem;margin:.2rem .3rem 0 0;border:1px solid var(--rule);border-radius:.4rem;cursor:pointer}
fieldset input:checked+label{background:var(--text);color:var(--paper)}
label{display:block;font-weight:600;margin:0 0 .2rem}
textarea,input[type=text],input[type=number],input[type=password]{width:100%;margin:0 0 .8rem;padding:.5rem .6rem;font:inherit;color:inherit;background:var(--panel);border:1px solid var(--faint);border-radius:.4rem}
textarea{resize:vertical}.short{display:inline-block;width:9.5rem;margin-right:1rem}
button{font:inherit;padding:.4rem 1.1rem;margin:0 .5rem .5rem 0;border:1px solid var(--text);border-radius:.4rem;background:var(--paper);color:var(--text);cursor:pointer}
button[type=submit]{background:var(--text);color:var(--paper)}button:disabled{opacity:.5;cursor:default}
:focus-visible,fieldset input:focus-visible+label{outline:2px solid var(--c0);outline-offset:2px}
#error{margin:0 0 1rem;padding:.6rem .9rem;border-radius:.3rem;background:var(--bad)}
pre{margin:0 0 1rem;padding:.7rem 1rem;border:1px solid var(--rule);border-radius:.4rem;white-space:pre-wrap;font:.85rem/1.5 ui-monospace,'DejaVu Sans Mono',monospace}
.code h2{display:flex;justify-content:space-between;align-items:center}.copy{font-size:.85rem;padding:.1rem .7rem;margin:0}
.vectors{padding-left:1.4rem;margin:0 0 1.2rem}.vectors li{margin:0 0 .6rem}
svg{display:block;width:100%;height:2.5rem;background:var(--panel);border-radius:.2rem}.plus{fill:var(--c0)}.minus{fill:var(--c1)}
.scroll{overflow-x:auto;margin:0 0 1rem}
table{border-collapse:collapse;font-size:.95rem;margin:0 0 1rem}caption{text-align:left;font-weight:600;padding:0 0 .3rem}
th,td{padding:.26rem .65rem;text-align:right;border-bottom:1px solid var(--rule);font-variant-numeric:tabular-nums}
th[scope=row]{text-align:left;font-weight:400}
.matrix th,.matrix td{white-space:pre}.matrix td{background:color-mix(in srgb,var(--c0) var(--share,0%),var(--paper))}
.scores{width:100%}.scores th{width:45%}.scores .wide{width:40%}
.bar{display:block;height:.8rem;background:var(--panel)}.bar span{display:block;height:100%;background:var(--c0)}
.text{white-space:pre-wrap;margin:0 0 .8rem;padding:.6rem .9rem;border-radius:.4rem;background:var(--panel)}
.user{border-left:.3rem solid var(--c1)}.assistant{border-left:.3rem solid var(--c2)}
mark{color:inherit;background:color-mix(in srgb,var(--mark) 28%,transparent);border-bottom:2px solid var(--mark);border-radius:.15rem}
mark small{color:var(--faint)}
.k0{--mark:var(--c0)}.k1{--mark:var(--c1)}.k2{--mark:var(--c2)}.k3{--mark:var(--c3)}.k4{--mark:var(--c4)}.k5{--mark:var(--c7)}
@media (max-width:44rem){body{padding:1rem .8rem 2rem}h1{font-size:1.35rem}.columns{grid-template-columns:minmax(0,1fr)}.scores .wide{width:25%}}
)css";

}  // namespace

std::string page_style() {
  return colors_of(report::kLight) + "@media (prefers-color-scheme:dark){" + colors_of(report::kDark) + "}" +
         std::string(kLayout);
}

constexpr std::string_view kPageBody = R"html(<body>
<header>
<h1 id="name">Locus</h1>
<p id="facts" class="note"></p>
<ul id="state" aria-label="State of the server"><li id="requests"></li><li id="waiting"></li><li id="rate"></li></ul>
</header>
<main>
<p id="error" role="alert" hidden></p>
<form id="key-form" hidden>
<label for="key">API key</label><input id="key" type="password" autocomplete="off">
<button type="submit">Continue</button>
</form>
<div class="columns">
<div>
<form id="try" hidden>
<fieldset id="tasks"></fieldset>
<div id="fields"></div>
<button type="submit" id="send">Send</button>
<button type="button" id="stop" hidden>Stop</button>
<button type="button" id="clear" hidden>New chat</button>
<span id="took" class="note"></span>
</form>
<section id="results" aria-label="Results" aria-live="polite" aria-busy="false"></section>
</div>
<section class="code" aria-label="The same request in code">
<h2>curl <button type="button" class="copy" value="curl" aria-label="Copy the curl command">Copy</button></h2>
<pre id="curl" tabindex="0"></pre>
<h2>Python <button type="button" class="copy" value="python" aria-label="Copy the Python program">Copy</button></h2>
<pre id="python" tabindex="0"></pre>
</section>
</div>
</main>
<footer>All routes: <a href="/openapi.json">/openapi.json</a>. Counters: <a href="/metrics">/metrics</a>.</footer>
)html";

std::string page_html(std::string_view nonce) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Locus</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<style nonce=\"{0}\">{1}</style>\n</head>\n{2}"
      "<script nonce=\"{0}\">{3}{4}{5}</script>\n</body>\n</html>\n",
      nonce, page_style(), kPageBody, kPageResults, kPageTasks, kPageScript);
}

}  // namespace locus::serve
