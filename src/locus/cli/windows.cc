// locus windows: shows a text as training batches, matrices of token ids.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "locus/base/error.h"
#include "locus/base/json.h"
#include "locus/cli/command.h"
#include "locus/cli/input.h"
#include "locus/cli/terminal.h"
#include "locus/text/open_tokens.h"
#include "locus/text/token_file.h"
#include "locus/text/windows.h"

namespace locus::cli {
namespace {

constexpr int kMost = 1 << 30;

struct WindowsRequest {
  std::string file, tokenizer = "bytes";
  WindowOptions windows = {.context = 4, .batch = 8};
  int64_t epoch = 0, index = 0;
  bool drop_last = false, json = false;
};

std::shared_ptr<const TokenStream> stream_of(const WindowsRequest& request) {
  if (request.file != "-" && TokenFile::recognizes(request.file)) {
    return std::make_shared<TokenFile>(request.file);
  }
  const auto tokenizer = load_tokenizer(request.tokenizer);
  if (request.file != "-") return open_tokens(request.file, *tokenizer);
  return std::make_shared<MemoryTokens>(tokenizer->encode(read_input("-")), tokenizer->size(), "stdin");
}

// [[   40,   367],
//  [ 1807,  3619]]
std::string matrix(const std::vector<int32_t>& ids, int64_t columns) {
  const size_t width = fmt::format("{}", *std::ranges::max_element(ids)).size();
  std::string text;
  for (size_t i = 0; i < ids.size(); ++i) {
    const size_t column = i % static_cast<size_t>(columns);
    text += i == 0 ? "  [[" : column == 0 ? "],\n   [" : ", ";
    text += fmt::format("{:{}}", ids[i], width);
  }
  return text + "]]\n";
}

std::string as_text(const Windows& windows, const WindowBatch& batch, const WindowsRequest& request) {
  const std::string shape = fmt::format("[{}, {}]", batch.rows, batch.context);
  return fmt::format(
      "{}: {} tokens of a vocabulary of {}, {} windows of {}, {} batches of {}\n\n"
      "epoch {}, batch {}\n\ninputs {}\n{}\ntargets {}\n{}",
      windows.stream().name(), windows.stream().size(), windows.stream().vocabulary(), windows.size(),
      batch.context, windows.batches(), windows.options().batch, request.epoch, request.index, shape,
      matrix(batch.inputs, batch.context), shape, matrix(batch.targets, batch.context));
}

std::string rows(const std::vector<int32_t>& ids, int64_t columns) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < ids.size(); i += static_cast<size_t>(columns)) {
    lines.push_back(json::numbers(std::span(ids).subspan(i, static_cast<size_t>(columns))));
  }
  return json::list(lines);
}

std::string as_json(const Windows& windows, const WindowBatch& batch, const WindowsRequest& request) {
  return json::lines(
      {{"tokens", json::number(windows.stream().size())},
       {"vocabulary", json::number(int64_t{windows.stream().vocabulary()})},
       {"windows", json::number(windows.size())},
       {"batches", json::number(windows.batches())},
       {"epoch", json::number(request.epoch)},
       {"batch", json::number(request.index)},
       {"shape", json::list(std::vector{json::number(batch.rows), json::number(batch.context)})},
       {"inputs", rows(batch.inputs, batch.context)},
       {"targets", rows(batch.targets, batch.context)}});
}

void run(WindowsRequest& request) {
  request.windows.keep_last = !request.drop_last;
  const Windows windows(stream_of(request), request.windows);
  const WindowBatch batch = windows.batch(request.epoch, request.index);
  print(request.json ? as_json(windows, batch, request) : as_text(windows, batch, request));
}

}  // namespace

void add_windows(CLI::App& program) {
  Command command(program, "windows", "Show a text as training batches of token ids");
  command.footer(
      "Examples:\n"
      "  locus windows the-verdict.txt --tokenizer gpt2/ --context 4 --stride 4 --batch 8\n"
      "  locus windows README.md --context 16 --shuffle --seed 7 --index 2\n"
      "  locus windows corpus.tokens --context 1024 --json");
  auto request = std::make_shared<WindowsRequest>();
  command.option("FILE", request->file, "A text file, a token file, or - for stdin").required();
  command.option("--tokenizer", request->tokenizer, "A tokenizer folder, or bytes; used for text input")
      .shows_default();
  command.option("--context", request->windows.context, "Tokens per window")
      .between(1, kMost)
      .shows_default();
  command.option("--stride", request->windows.stride, "Tokens from one window to the next [the context]")
      .between(1, kMost);
  command.option("--batch", request->windows.batch, "Windows per batch").between(1, kMost).shows_default();
  command.flag("--shuffle", request->windows.shuffle, "Shuffle the windows in every epoch");
  command.option("--seed", request->windows.seed, "Seed of the shuffle").shows_default();
  command.flag("--drop-last", request->drop_last, "Drop the last batch if it is smaller than the others");
  command.option("--epoch", request->epoch, "The epoch to show, counted from 0")
      .between(0, kMost)
      .shows_default();
  command.option("--index", request->index, "The batch of that epoch to show, counted from 0")
      .between(0, kMost)
      .shows_default();
  command.flag("--json", request->json, "Print JSON");
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
