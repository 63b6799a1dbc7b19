#include "locus/cli/command.h"

#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

#include "locus/base/options.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"

namespace locus::cli {

namespace {

// CLI11 reads -1 as the largest unsigned number, 010 as eight, and "" as an option that was not given. These
// validators check the text before CLI11 sees it.
CLI::Validator checked_as(const std::function<std::string(std::string&)>& complaint) {
  return CLI::Validator(complaint, "");
}

template <std::integral Value>
CLI::Validator check_of(const Value*) {
  return checked_as([](std::string& text) -> std::string {
    const std::optional<Value> value = parse<Value>(text);
    if (!value) {
      // The limits of the type explain a number that is out of range, but not a word.
      using Limits = std::numeric_limits<Value>;
      const std::string range =
          parse<double>(text) ? fmt::format(" from {} to {}", Limits::min(), Limits::max()) : "";
      return fmt::format("got {}, expected a whole number{}", quote(text), range);
    }
    text = fmt::format("{}", *value);
    return "";
  });
}
CLI::Validator check_of(const std::optional<int32_t>*) {
  return check_of(static_cast<const int32_t*>(nullptr));
}

CLI::Validator check_of(const std::optional<float>*) {
  return checked_as([](std::string& text) {
    const std::optional<double> value = parse<double>(text);
    const bool fits = value && std::isfinite(static_cast<float>(*value));
    return fits ? "" : fmt::format("got {}, expected a number", quote(text));
  });
}

CLI::Validator check_of(const std::string*) {
  return checked_as([](const std::string& text) { return text.empty() ? "got an empty text" : ""; });
}

CLI::Validator check_of(const std::optional<std::string>*) {
  return check_of(static_cast<const std::string*>(nullptr));
}
CLI::Validator check_of(const std::vector<std::string>*) {
  return checked_as([](const std::string&) { return ""; });
}

// Options that also have a letter. The letter means the same in every command: -n is the number of results.
constexpr std::pair<std::string_view, char> kLetters[] = {{"--file", 'f'},       {"--out", 'o'},
                                                          {"--threads", 'j'},    {"--top", 'n'},
                                                          {"--max-tokens", 'n'}, {"--set", 's'}};

// "-f,--file", as CLI11 expects it.
std::string with_letter(const std::string& name) {
  const auto* const found = std::ranges::find(kLetters, name, &std::pair<std::string_view, char>::first);
  return found == std::end(kLetters) ? name : fmt::format("-{},{}", found->second, name);
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::between(int low, int high) {
  // CLI11's own check would add the limits to the type in --help. They have their place in the error.
  option_->check(checked_as([low, high](const std::string& text) -> std::string {
    const std::optional<int64_t> value = parse<int64_t>(text);
    if (value && low <= *value && *value <= high) return "";
    return fmt::format("got {}, expected a whole number from {} to {}", text, low, high);
  }));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  // CLI11 writes choices in braces; outline.cc parses them from there.
  option_->check(CLI::Validator(
      [words](const std::string& text) -> std::string {
        if (std::ranges::count(words, text) > 0) return "";
        const std::vector<std::string_view> known(words.begin(), words.end());
        return fmt::format("got {}, expected one of {}{}", quote(text), fmt::join(words, ", "),
                           suggestion(text, known));
      },
      fmt::format("{{{}}}", fmt::join(words, ","))));
  return *this;
}

Option& Option::ends_in(const std::vector<std::string>& endings) {
  option_->check(checked_as([endings](const std::string& text) -> std::string {
    const auto fits = [&](const std::string& ending) { return text.ends_with(ending); };
    if (std::ranges::any_of(endings, fits)) return "";
    return fmt::format("got {}, expected a file name that ends in {}", quote(text),
                       fmt::join(endings, " or "));
  }));
  return *this;
}

Option& Option::repeated() {
  option_->expected(1)->allow_extra_args(false)->take_all();
  return *this;
}

bool Option::given() const { return !option_->empty(); }

Command::Command(CLI::App& program, const std::string& name, const std::string& summary)
    : app_(program.add_subcommand(name, summary)->group("Commands")) {}

void Command::footer(const std::string& text) { app_->footer(text); }
void Command::footer(const std::function<std::string()>& text) {
  app_->footer("");  // otherwise CLI11 appends the footer of the whole program
  app_->footer(text);
}

void Command::flag(const std::string& name, bool& value, const std::string& meaning) {
  app_->add_flag(name, value, meaning);
}

template <typename Value>
Option Command::option(const std::string& name, Value& value, const std::string& meaning) {
  return Option(app_->add_option(with_letter(name), value, meaning)->transform(check_of(&value)));
}

template <typename Value>
Option Command::option_to(const std::string& name, const std::function<void(const Value&)>& take,
                          const std::string& meaning) {
  const Value* const kind = nullptr;
  return Option(
      app_->add_option_function<Value>(with_letter(name), take, meaning)->transform(check_of(kind)));
}

void Command::callback(const std::function<void()>& work) { app_->callback(work); }

using Name = const std::string&;
template Option Command::option(Name, std::string&, Name);
template Option Command::option(Name, std::optional<std::string>&, Name);
template Option Command::option(Name, std::vector<std::string>&, Name);
template Option Command::option(Name, int64_t&, Name);
template Option Command::option(Name, uint64_t&, Name);
template Option Command::option(Name, std::optional<int32_t>&, Name);
template Option Command::option(Name, std::optional<float>&, Name);
template Option Command::option_to(Name, const std::function<void(const int&)>&, Name);
template Option Command::option_to(Name, const std::function<void(const std::string&)>&, Name);

}  // namespace locus::cli
