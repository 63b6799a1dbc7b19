// GET /: the page that tries the model.
#include <random>

#include "locus/serve/handlers.h"
#include "locus/serve/page.h"

namespace locus::serve {

namespace {

std::optional<HttpAnswer> answer_page(const Call&) {
  std::random_device random;
  const std::string nonce = fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
  return HttpAnswer{
      .type = "text/html; charset=utf-8",
      .body = page_html(nonce),
      .headers = {{"content-security-policy",
                   fmt::format("default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; img-src "
                               "data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                               "frame-ancestors 'self'",
                               nonce)},
                  {"x-content-type-options", "nosniff"},
                  {"referrer-policy", "no-referrer"},
                  {"cache-control", "no-store"}}};
}

}  // namespace

const Handler handlers::page = {answer_page, [](const Call&) { return schema::text(); }, nullptr,
                                "text/html"};

}  // namespace locus::serve
