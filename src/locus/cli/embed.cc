// locus embed: computes an embedding vector for every text.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "locus/apply/embedder.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/checkpoint/safetensors.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_command.h"

namespace locus::cli {
namespace {

struct Request : TextRequest {
  std::string out, prompt;
};

std::string object_of(const std::string& text, std::span<const float> vector) {
  const std::vector<double> wide(vector.begin(), vector.end());
  return json::object({{"text", json::text(text)}, {"embedding", json::numbers(wide)}}) + "\n";
}

// NumPy's .npy format, version 1.0: a header padded to a multiple of 64 bytes, then the rows.
void write_npy(const std::string& path, const Tensor& vectors) {
  std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}",
                                   vectors.size(0), vectors.size(1));
  constexpr size_t kPreamble = 10, kUnit = 64;
  header.append(kUnit - (kPreamble + header.size() + 1) % kUnit, ' ');
  header += '\n';
  AtomicFile file(path);
  file.write(std::string_view("\x93NUMPY\x01\x00", 8));
  const char length[] = {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file.write(std::string_view(length, 2));
  file.write(header);
  file.write(std::as_bytes(vectors.data<float>()));
  file.commit();
}

// Writes JSON Lines to stdout, or to a .jsonl file that appears only when it is complete.
void write_lines(const Request& request, Records& records, const Embedder& embedder) {
  std::optional<AtomicFile> file;
  if (!request.out.empty()) file.emplace(request.out);
  const auto work = [&](std::span<const Record> chunk, const ReadOptions& reading) {
    const Tensor vectors = embedder.embed(texts_of(chunk), reading, request.prompt);
    const auto C = static_cast<size_t>(embedder.width());
    std::vector<std::string> lines;
    for (size_t i = 0; i < chunk.size(); ++i) {
      lines.push_back(object_of(chunk[i].text, vectors.data<float>().subspan(i * C, C)));
    }
    return lines;
  };
  if (!file) return each_chunk(request, records, work);
  each_chunk(request, records, work, [&](std::string_view lines) { file->write(lines); });
  file->commit();
}

// All vectors [texts, C]. They are collected because .npy and safetensors headers hold the number of rows.
Tensor collect(const Request& request, Records& records, const Embedder& embedder) {
  std::vector<float> values;
  const auto C = static_cast<size_t>(embedder.width());
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    std::vector<bool> bad(chunk.size());
    ReadOptions marked = reading;
    marked.on_bad = [&](size_t i, const Error& error) {
      bad[i] = true;
      reading.on_bad(i, error);
    };
    const Tensor vectors = embedder.embed(texts_of(chunk), marked, request.prompt);
    for (size_t i = 0; i < chunk.size(); ++i) {
      if (!bad[i]) std::ranges::copy(vectors.data<float>().subspan(i * C, C), std::back_inserter(values));
    }
    return std::vector<std::string>();
  });
  return Tensor::of({static_cast<int64_t>(values.size() / C), embedder.width()}, values);
}

void run(const Request& request) {
  const std::string& out = request.out;
  const bool npy = out.ends_with(".npy"), tensors = out.ends_with(".safetensors");
  Records records(request.source("embed"));
  const Embedder embedder(request.folder, request.weights);
  warn(embedder.model().warnings());
  if (npy) {
    write_npy(out, collect(request, records, embedder));
  } else if (tensors) {
    write_safetensors(out, {{"embeddings", collect(request, records, embedder)}});
  } else {
    write_lines(request, records, embedder);
  }
}

}  // namespace

void add_embed(CLI::App& program) {
  Command command(program, "embed", "Compute an embedding vector for every text");
  command.footer(
      "Input: one text per line, or JSON Lines {\"text\"}.\n"
      "Output: one JSON object per text, {\"text\", \"embedding\"}, or the file given by --out.\n\n"
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
