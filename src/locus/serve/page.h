// The page at GET /: one HTML file that tries the model in a browser. It loads nothing from elsewhere, and
// its scripts insert what the server answers as text, never as HTML.
#pragma once

#include <string>
#include <string_view>

namespace locus::serve {

// `nonce` is in the content security policy of the answer: only styles and scripts that carry it are used.
std::string page_html(std::string_view nonce);

// The parts of the page.
std::string page_style();
extern const std::string_view kPageBody;
extern const std::string_view kPageTasks;    // what each task asks, sends and shows
extern const std::string_view kPageResults;  // draws results
extern const std::string_view kPageScript;   // the form, the requests, the state of the server

}  // namespace locus::serve
