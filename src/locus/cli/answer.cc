// locus answer: extracts the answer to a question from a context.
#include <fmt/format.h>

#include <memory>

#include "locus/apply/result_json.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/input.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_chunks.h"

namespace locus::cli {
namespace {

struct AnswerRequest : TextRequest {
  std::string question, context;
  SpanUnit offsets;
  AnswerOptions answer;
};

std::string line_of(const Record& record, const FoundAnswer& one) {
  if (!one.found) return "no answer\n";
  return one_line(record.second->substr(one.bytes.begin, one.bytes.end - one.bytes.begin)) + "\n";
}

void run(AnswerRequest& request) {
  if (request.question.empty() != request.context.empty()) {
    fail(Fault::usage, "answer: --question and --context must be given together");
  }
  if (!request.question.empty()) {
    if (!request.words.empty()) {
      fail(Fault::usage, "answer: got --question and texts as arguments; use one of them");
    }
    request.words = {request.question, read_input(request.context)};
  }
  RecordSource source = request.source("answer");
  source.first = "question";
  source.second = "context";
  source.pairs = true;
  Records records(std::move(source));
  const Answerer answerer(request.folder, request.weights, request.device);
  note_model(answerer.model().trained());
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    std::vector<QuestionInput> asked;
    for (const Record& record : chunk) asked.push_back({record.text, *record.second});
    const std::vector<FoundAnswer> found = answerer.answer(asked, request.answer, reading);
    std::vector<std::string> lines;
    for (size_t i = 0; i < chunk.size(); ++i) {
      lines.push_back(request.json ? answered_json(asked[i], found[i], request.offsets) + "\n"
                                   : line_of(chunk[i], found[i]));
    }
    return lines;
  });
}

}  // namespace

void add_answer(CLI::App& program) {
  Command command(program, "answer", "Extract the answer to a question from a context");
  command.footer(
      "Input: --question and --context; or questions and contexts as alternating arguments; or lines with a\n"
      "tab between question and context; or JSON Lines {\"question\", \"context\"}.\n"
      "Output: the answer, or \"no answer\". With --json, one object per question: {\"question\", "
      "\"answer\",\n"
      "\"start\", \"end\", \"score\"}; \"answer\" is null if there is no answer.\n"
      "A long context is split into overlapping windows.\n\n"
      "Examples:\n"
      "  locus answer models/squad --question \"Who wrote it?\" --context book.txt\n"
      "  locus answer models/squad --file questions.jsonl --json > answers.jsonl");
  auto request = std::make_shared<AnswerRequest>();
  add_text_options(command, *request, "Questions and contexts, alternating");
  command.option("--question", request->question, "The question; needs --context");
  command.option("--context", request->context, "A file with the context of the question, - for stdin");
  command.option("--window", request->answer.window, "Tokens per window, including the question")
      .between(1, 1 << 24)
      .shows_default();
  command.option("--overlap", request->answer.overlap, "Tokens of the context shared by neighboring windows")
      .between(0, 1 << 24)
      .shows_default();
  command.option("--longest", request->answer.longest, "Maximum number of tokens of an answer")
      .between(1, 1 << 24)
      .shows_default();
  add_offsets(command, request->offsets, "Unit of \"start\" and \"end\"");
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
