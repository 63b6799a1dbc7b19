#include "locus/text/pipeline/token_decoder.h"

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/text/byte_alphabet.h"
#include "locus/text/pipeline/pattern.h"
#include "locus/text/readable.h"

namespace locus {
namespace {

using Tokens = std::vector<std::string>;

template <class F>
class Decoding final : public TokenDecoder {
 public:
  explicit Decoding(F function) : function_(std::move(function)) {}
  void apply(Tokens& tokens, TextBudget& budget) const override { function_(tokens, budget); }

 private:
  F function_;
};

template <class F>
std::unique_ptr<TokenDecoder> decoding(F function) {
  return std::make_unique<Decoding<F>>(std::move(function));
}

std::string replaced(const std::string& text, std::span<const AlignedText::Range> ranges,
                     std::string_view to) {
  std::string result;
  size_t done = 0;
  for (const auto& [begin, end] : ranges) {
    result.append(text, done, begin - done).append(to);
    done = end;
  }
  return result.append(text, done);
}

// Replaces the matches in all tokens.
void replace_all(Tokens& tokens, const Pattern& pattern, std::string_view to, const std::string& where,
                 TextBudget& budget) {
  size_t written = 0;
  for (std::string& token : tokens) {
    const std::vector<AlignedText::Range> matches = find_to_replace(pattern, token, budget, where);
    budget.check(written + token.size() + matches.size() * to.size(), where, "decoder");
    if (!matches.empty()) token = replaced(token, matches, to);
    written += token.size();
  }
}

// Replaces a word in a token.
void replace_all(std::string& token, std::string_view word, std::string_view to) {
  size_t at = token.find(word), done = 0;
  if (at == std::string::npos) return;
  std::string result;
  for (; at != std::string::npos; at = token.find(word, done)) {
    result.append(token, done, at - done).append(to);
    done = at + word.size();
  }
  token = result.append(token, done);
}

void join_bytes(Tokens& tokens, TextBudget&) {
  std::string bytes;
  for (const std::string& token : tokens) bytes += unspelled(token).value_or(token);
  tokens.assign(1, readable(bytes));
}

// Removes the space before punctuation and before the ends of English contractions.
void clean_up(std::string& token) {
  static constexpr std::pair<std::string_view, std::string_view> kRules[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  if (token.find(' ') == std::string::npos) return;
  for (const auto& [from, to] : kRules) replace_all(token, from, to);
}

std::unique_ptr<TokenDecoder> wordpiece(const JsonPart& part) {
  return decoding(
      [prefix = part.text("prefix", "##"), cleans = part.flag("cleanup", true)](Tokens& tokens, TextBudget&) {
        for (size_t i = 0; i < tokens.size(); ++i) {
          if (i > 0 && tokens[i].starts_with(prefix)) {
            tokens[i].erase(0, prefix.size());
          } else if (i > 0) {
            tokens[i] = ' ' + tokens[i];
          }
          if (cleans) clean_up(tokens[i]);
        }
      });
}

std::unique_ptr<TokenDecoder> metaspace(const JsonPart& part) {
  const std::string scheme =
      part.text("prepend_scheme", part.flag("add_prefix_space", true) ? "always" : "never");
  const std::string mark = part.text("replacement", "\u2581");
  if (mark.empty()) part.refuse("replacement", "one character");
  return decoding([mark, opens = scheme != "never"](Tokens& tokens, TextBudget&) {
    for (size_t i = 0; i < tokens.size(); ++i) replace_all(tokens[i], mark, i == 0 && opens ? "" : " ");
  });
}

// The byte of a token such as <0x0A>, or nothing.
std::optional<uint8_t> byte_of(std::string_view token) {
  const bool framed = token.size() == 6 && token.starts_with("<0x") && token.back() == '>';
  return framed ? parse<uint8_t>(token.substr(3, 2), 16) : std::nullopt;
}

// Joins consecutive byte tokens. If the bytes are not UTF-8, each of them becomes U+FFFD.
void join_byte_tokens(Tokens& tokens, TextBudget&) {
  Tokens joined;
  std::string bytes;
  const auto end = [&] {
    if (bytes.empty()) return;
    if (is_utf8(bytes)) {
      joined.push_back(bytes);
    } else {
      joined.insert(joined.end(), bytes.size(), "\ufffd");
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const std::optional<uint8_t> byte = byte_of(token)) {
      bytes += static_cast<char>(*byte);
      continue;
    }
    end();
    joined.push_back(std::move(token));
  }
  end();
  tokens = std::move(joined);
}

std::unique_ptr<TokenDecoder> stripped(const JsonPart& part) {
  return decoding([content = part.text("content"), start = part.integer("start", 0, 1 << 20, 0),
                   stop = part.integer("stop", 0, 1 << 20, 0)](Tokens& tokens, TextBudget&) {
    for (std::string& token : tokens) {
      std::string_view rest = token;
      for (int64_t i = 0; i < start && !content.empty() && rest.starts_with(content); ++i) {
        rest.remove_prefix(content.size());
      }
      for (int64_t i = 0; i < stop && !content.empty() && rest.ends_with(content); ++i) {
        rest.remove_suffix(content.size());
      }
      if (rest.size() < token.size()) token = std::string(rest);
    }
  });
}

std::unique_ptr<TokenDecoder> replaced(const JsonPart& part) {
  return decoding([pattern = std::shared_ptr<const Pattern>(read_pattern(part)), word = part.text("content"),
                   where = part.where()](Tokens& tokens, TextBudget& budget) {
    replace_all(tokens, *pattern, word, where, budget);
  });
}

void fuse(Tokens& tokens, TextBudget&) {
  std::string all;
  for (const std::string& token : tokens) all += token;
  tokens.assign(1, std::move(all));
}

std::unique_ptr<TokenDecoder> sequence(const JsonPart& part) {
  std::vector<std::shared_ptr<const TokenDecoder>> steps;
  for (const JsonPart& each : part.parts("decoders")) steps.push_back(read_decoder(each));
  return decoding([steps, where = part.where()](Tokens& tokens, TextBudget& budget) {
    for (const auto& step : steps) {
      step->apply(tokens, budget);
      size_t size = 0;
      for (const std::string& token : tokens) size += token.size();
      budget.check(size, where, "decoder");
    }
  });
}

}  // namespace

std::unique_ptr<TokenDecoder> read_decoder(const JsonPart& part) {
  const std::string type = part.type();
  if (type == "Sequence") return sequence(part);
  if (type == "ByteLevel") return decoding(join_bytes);
  if (type == "WordPiece") return wordpiece(part);
  if (type == "Metaspace") return metaspace(part);
  if (type == "ByteFallback") return decoding(join_byte_tokens);
  if (type == "Fuse") return decoding(fuse);
  if (type == "Strip") return stripped(part);
  if (type == "Replace") return replaced(part);
  part.refuse_type("decoder", {"ByteFallback", "ByteLevel", "Fuse", "Metaspace", "Replace", "Sequence",
                               "Strip", "WordPiece"});
}

}  // namespace locus
