// locus embed: a vector for every text.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/parallel.h"
#include "locus/checkpoint/embedder.h"
#include "locus/cli/command.h"
#include "locus/cli/input.h"
#include "locus/cli/terminal.h"
#include "locus/text/readable.h"

namespace locus::cli {
namespace {

struct Request {
  std::string folder, out;
  std::vector<std::string> words, files;
  int threads = 0;
  EmbedOptions options;
};

std::string embedding_lines(std::span<const std::string> texts, const Tensor& vectors) {
  std::string lines;
  const auto values = vectors.data<float>();
  const auto width = static_cast<size_t>(vectors.size(1));
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto row = values.subspan(i * width, width);
    const std::vector<double> wide(row.begin(), row.end());
    lines += json::object({{"text", json::text(readable(texts[i]))}, {"embedding", json::numbers(wide)}});
    lines += '\n';
  }
  return lines;
}

// NumPy's format, version 1.0: a header whose length is a multiple of 64, then the rows.
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

void run(const Request& request) {
  if (request.threads > 0) set_threads(request.threads);
  const std::vector<std::string> texts = read_texts("embed", request.words, request.files);
  const Embedder embedder(request.folder);
  for (const std::string& warning : embedder.warnings()) fmt::print(stderr, "locus: {}\n", warning);
  const Tensor vectors = embedder.embed(texts, request.options);
  if (request.out.empty()) return print(embedding_lines(texts, vectors));
  if (request.out.ends_with(".npy")) {
    write_npy(request.out, vectors);
  } else if (request.out.ends_with(".safetensors")) {
    write_safetensors(request.out, {{"embeddings", vectors}});
  } else if (request.out.ends_with(".jsonl")) {
    write_file(request.out, embedding_lines(texts, vectors));
  } else {
    fail(Fault::usage, "embed: --out is '{}', expected a name that ends with .jsonl, .npy or .safetensors",
         request.out);
  }
}

}  // namespace

void add_embed(CLI::App& program) {
  CLI::App* command = program.add_subcommand("embed", "A vector for every text, by a model folder");
  command->footer(
      "Every line is a text. Without --out, one JSON object for each: {\"text\", \"embedding\"}.\n\n"
      "Examples:\n"
      "  locus embed models/all-MiniLM-L6-v2 \"The dog chased the ball.\"\n"
      "  locus embed models/all-MiniLM-L6-v2 --file sentences.txt --out vectors.npy");
  auto request = std::make_shared<Request>();
  command->add_option("DIR", request->folder, "The model folder")->required();
  command->add_option("TEXT", request->words, "Texts; the lines of stdin when there are none");
  command->add_option("--file", request->files, "A file of lines in place of texts; as often as needed")
      ->allow_extra_args(false);
  command->add_option("--out", request->out, "A file to write: .jsonl, .npy or .safetensors");
  command->add_flag("--truncate", request->options.truncate, "Cut texts that are too long for the model");
  command->add_option("--batch-tokens", request->options.tokens, "Tokens of a batch, about")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  command->add_option("--threads", request->threads, "Threads to work with; 0: as many as there are cores")
      ->check(CLI::Range(0, 4096));
  command->callback([request] { run(*request); });
}

}  // namespace locus::cli
