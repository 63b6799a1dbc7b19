// The page of a server in a browser, for one folder per head, at the widths of a phone and a desktop: every
// task of the folder answers, the page fits, and the console stays empty. The page gets a script that uses it
// and reports to the page around it, whose text the browser prints. The policy of the page stays in force.
// Skipped without Chromium; ./run browser installs it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/serve/collected_reply.h"
#include "tests/serve/echo_server.h"
#include "tests/serve/reranker.h"

namespace locus::serve {
namespace {

// Reports for each task how many parts of the result it found, then all problems.
constexpr const char* kUse = R"(
(async () => {
  const parts = {Embed: '.vectors svg', Rerank: '.scores tr', Classify: '.scores tr', Tag: 'mark', Fill: '.scores tr',
    Answer: '.text', Translate: '.text', Chat: '.assistant', Generate: '.assistant'};
  const given = {texts: 'the <b>dog</b>\nit sat.', query: 'dog', documents: 'the dog\nit sat.', question: 'who?',
    context: 'the dog ran.', message: 'the dog', prompt: 'the dog', max_tokens: '6'};
  const problems = [], found = [];
  const wait = async (what, condition) => {
    for (let i = 0; i < 500 && !condition(); ++i) await new Promise(resolve => setTimeout(resolve, 20));
    if (!condition()) problems.push('no ' + what);
  };
  await wait('form', () => !at('try').hidden);
  const count = document.querySelectorAll('#tasks input').length;
  for (let i = 0; i < count; ++i) {
    at('t-' + i).focus();
    if (count > 1 && document.activeElement !== at('t-' + i)) problems.push('a task that the keyboard cannot reach');
    at('t-' + i).click();
    for (const input of document.querySelectorAll('#fields input, #fields textarea')) {
      if (input.labels.length !== 1) problems.push('a field without a label');
      const name = input.id.slice(2);
      if (name in given) input.value = task.name === 'Fill' ? 'the [MASK] sat.' : given[name];
    }
    at('try').dispatchEvent(new Event('input'));
    for (const code of ['curl', 'python']) {
      if (!at(code).textContent.includes(location.origin)) problems.push(code + ' without the address');
    }
    at('send').click();
    await wait('answer of ' + task.name, () => at('results').getAttribute('aria-busy') === 'false');
    if (!at('error').hidden) problems.push(task.name + ': ' + at('error').textContent);
    if (!at('took').textContent) problems.push('no time of ' + task.name);
    if (at('results').querySelector('b')) problems.push('a text became HTML');
    if (document.documentElement.scrollWidth > innerWidth) problems.push(task.name + ' is too wide');
    if (task.name === 'Embed') found.push('Matrix ' + document.querySelectorAll('.matrix td').length);
    found.push(task.name + ' ' + at('results').querySelectorAll(parts[task.name]).length);
  }
  await wait('state', () => at('requests').textContent && at('rate').textContent.endsWith('tokens/s'));
  if (getComputedStyle(at('send')).cursor !== 'pointer') problems.push('no styles');
  parent.postMessage(innerWidth + ' ' + found.join(', ') + '.' + problems.join('; '), '*');
})();
)";

constexpr const char* kHost =
    "<!doctype html><link rel='icon' href='data:,'><pre id='said'></pre><script>onmessage = event => "
    "said.textContent += event.data + ' END\\n';</script>"
    "<iframe src='/used' style='border:0;width:390px;height:900px'></iframe>"
    "<iframe src='/used' style='border:0;width:1440px;height:900px'></iframe>";

// The page with the script at its end.
HttpAnswer used_page(Service& service) {
  HttpAnswer answer = get(service, "/");
  const std::string tag = "<script nonce=\"";
  const size_t at = answer.body.find(tag) + tag.size();
  const std::string nonce = answer.body.substr(at, answer.body.find('"', at) - at);
  const size_t end = answer.body.find("</body>");
  EXPECT_NE(end, std::string::npos);
  answer.body.insert(end, tag + nonce + "\">" + kUse + "</script>");
  return answer;
}

class PageBrowserSlow : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null") != 0) {
      GTEST_SKIP() << "no chromium: ./run browser installs it and runs these tests";
    }
  }

  // Expects that the page reports these counts at both widths, and no problem.
  void expect_works(const std::filesystem::path& model, const std::string& counts) {
    Service service({.folder = model, .name = "<b>golden</b>"});
    service.wait_until_ready();
    const EchoServer server(ServerLimits(), [&](HttpRequest request, const std::shared_ptr<Reply>& reply) {
      if (request.path == "/host") return reply->send({.type = "text/html", .body = kHost});
      if (request.path == "/used") return reply->send(used_page(service));
      service.handle(std::move(request), reply);
    });
    const std::string out = (folder_ / "dom").string(), log = (folder_ / "log").string();
    const std::string command = fmt::format(
        "chromium --headless --no-sandbox --disable-gpu --user-data-dir='{}' --hide-scrollbars "
        "--enable-logging=stderr --virtual-time-budget=30000 --dump-dom '{}/host' >'{}' 2>'{}' </dev/null",
        (folder_ / "profile").string(), server.address(), out, log);
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(read_file(log).find(":CONSOLE"), std::string::npos) << read_file(log);
    const std::string said = read_file(out);
    for (const int width : {390, 1440}) {
      EXPECT_NE(said.find(fmt::format("{} {}. END", width, counts)), std::string::npos) << said;
    }
  }

 private:
  const TemporaryFolder folder_;
};

TEST_F(PageBrowserSlow, Embeds) { expect_works(golden_model("embed"), "Matrix 5, Embed 2"); }

TEST_F(PageBrowserSlow, Classifies) {
  expect_works(golden_model("classify"), "Classify 6, Matrix 5, Embed 2");
}

TEST_F(PageBrowserSlow, Reranks) {
  const Reranker folder;
  expect_works(folder.path(), "Rerank 2, Classify 2, Matrix 5, Embed 2");
}

TEST_F(PageBrowserSlow, Tags) { expect_works(golden_model("tag"), "Tag 10, Matrix 5, Embed 2"); }

TEST_F(PageBrowserSlow, Fills) { expect_works(golden_model("fill"), "Fill 5, Matrix 5, Embed 2"); }

TEST_F(PageBrowserSlow, Answers) { expect_works(golden_model("answer"), "Answer 1, Matrix 5, Embed 2"); }

TEST_F(PageBrowserSlow, Translates) { expect_works(golden_model("translate"), "Translate 2, Generate 1"); }

TEST_F(PageBrowserSlow, Generates) { expect_works(golden_model("write"), "Generate 1"); }

TEST_F(PageBrowserSlow, Chats) {
  const CopyOf folder("write");
  put(folder / "chat_template.jinja", "{% for m in messages %}{{ m.role }} {{ m.content }} {% endfor %}");
  expect_works(folder.path(), "Chat 1, Generate 1");
}

}  // namespace
}  // namespace locus::serve
