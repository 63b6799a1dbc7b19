// locus embed: computes an embedding vector for every text.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "locus/apply/embedder.h"
#include "locus/apply/vector_file.h"
#include "locus/apply/vector_texts.h"
#include "locus/apply/vector_writer.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_chunks.h"

namespace locus::cli {
namespace {

struct Request : TextRequest {
  std::string out, prompt;
};

std::span<const float> vector_of(const Tensor& vectors, size_t i) {
  const auto C = static_cast<size_t>(vectors.size(1));
  return vectors.data<float>().subspan(i * C, C);
}

std::string object_of(const std::string& text, std::span<const float> vector) {
  const std::vector<double> wide(vector.begin(), vector.end());
  return json::object({{"text", json::text(text)}, {"embedding", json::numbers(wide)}}) + "\n";
}

// Writes JSON Lines to stdout, or to a .jsonl file that appears only when it is complete.
void write_lines(const Request& request, Records& records, const Embedder& embedder) {
  std::optional<AtomicFile> file;
  if (!request.out.empty()) file.emplace(request.out);
  const auto work = [&](std::span<const Record> chunk, const ReadOptions& reading) {
    const Tensor vectors = embedder.embed(texts_of(chunk), reading, request.prompt);
    std::vector<std::string> lines;
    for (size_t i = 0; i < chunk.size(); ++i) {
      lines.push_back(object_of(chunk[i].text, vector_of(vectors, i)));
    }
    return lines;
  };
  if (!file) return each_chunk(request, records, work);
  each_chunk(request, records, work, [&](std::string_view lines) { file->write(lines); });
  file->commit();
  print(fmt::format("{}: embeddings of {} numbers\n", request.out, embedder.width()));
}

void write_vectors(const Request& request, Records& records, const Embedder& embedder) {
  VectorWriter writer(request.out, embedder.width());
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    std::vector<bool> bad(chunk.size());
    ReadOptions marked = reading;
    marked.on_bad = [&](size_t i, const Error& error) {
      bad[i] = true;
      reading.on_bad(i, error);
    };
    const Tensor vectors = embedder.embed(texts_of(chunk), marked, request.prompt);
    for (size_t i = 0; i < chunk.size() && !reading.check_only; ++i) {
      if (!bad[i]) writer.add(vector_of(vectors, i), chunk[i].text);
    }
    return std::vector<std::string>();
  });
  writer.commit();
  print(fmt::format("{}: {} embeddings of {} numbers; {}: their texts\n", request.out, writer.rows(),
                    embedder.width(), texts_path(request.out).string()));
}

void run(const Request& request) {
  Records records(request.source("embed"));
  const Embedder embedder(request.folder, request.weights, request.device);
  note_model(embedder.model().trained());
  (is_vector_file(request.out) ? write_vectors : write_lines)(request, records, embedder);
}

}  // namespace

void add_embed(CLI::App& program) {
  Command command(program, "embed", "Compute an embedding vector for every text");
  command.footer(
      "Input: one text per line, or JSON Lines {\"text\"}.\n"
      "Output: one JSON object per text, {\"text\", \"embedding\"}, or the file given by --out. Next to "
      ".npy and\n"
      ".safetensors files, FILE.jsonl holds the text of every row; locus similarity --index searches "
      "them.\n\n"
      "Examples:\n"
      "  locus embed models/all-MiniLM-L6-v2 \"The dog chased the ball.\"\n"
      "  locus embed models/all-MiniLM-L6-v2 --file sentences.txt --out vectors.npy");
  auto request = std::make_shared<Request>();
  add_text_options(command, *request, "Texts");
  command.option("--prompt", request->prompt,
                 "Name of a prompt defined by the model folder, such as query or document");
  command.option("--out", request->out, "Output file: .jsonl, .npy or .safetensors")
      .ends_in({".jsonl", ".npy", ".safetensors"});
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
