// locus embed: computes an embedding vector for every text.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>

#include "locus/apply/embedder.h"
#include "locus/apply/kept_vectors.h"
#include "locus/apply/rank_embedder.h"
#include "locus/apply/vector_file.h"
#include "locus/apply/vector_texts.h"
#include "locus/apply/vector_writer.h"
#include "locus/base/file.h"
#include "locus/base/fingerprint.h"
#include "locus/base/json.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/dist_options.h"
#include "locus/cli/stop_signals.h"
#include "locus/cli/terminal.h"
#include "locus/cli/text_chunks.h"

namespace locus::cli {
namespace {

struct EmbedRequest : TextRequest {
  std::string out, prompt;
  DistOptions dist;
};

// The vectors of texts, as Embedder::embed().
using Embed = std::function<Tensor(ListView<std::string>, const ReadOptions&)>;

std::span<const float> vector_of(const Tensor& vectors, size_t i) {
  const auto C = static_cast<size_t>(vectors.size(1));
  return vectors.data<float>().subspan(i * C, C);
}

std::string object_of(const std::string& text, std::span<const float> vector) {
  const std::vector<double> wide(vector.begin(), vector.end());
  return json::object({{"text", json::text(text)}, {"embedding", json::numbers(wide)}}) + "\n";
}

// Writes JSON Lines to stdout, or to a .jsonl file that appears only when it is complete.
void write_lines(const EmbedRequest& request, Records& records, const Embed& embed, int64_t width) {
  std::optional<AtomicFile> file;
  if (!request.out.empty()) file.emplace(request.out);
  const auto work = [&](std::span<const Record> chunk, const ReadOptions& reading) {
    const Tensor vectors = embed(texts_of(chunk), reading);
    std::vector<std::string> lines;
    for (size_t i = 0; i < chunk.size(); ++i) {
      lines.push_back(object_of(chunk[i].text, vector_of(vectors, i)));
    }
    return lines;
  };
  if (!file) return each_chunk(request, records, work);
  each_chunk(request, records, work, [&](std::string_view lines) { file->write(lines); });
  file->commit();
  print(fmt::format("{}: embeddings of {} numbers\n", request.out, width));
}

// Writes a file of vectors, and keeps them in blocks meanwhile if the command may be interrupted.
class Output {
 public:
  // With an empty `job`, no blocks are kept.
  Output(const std::string& path, int64_t width, const std::string& job) : writer_(path, width) {
    if (job.empty()) return;
    const bool unfinished = KeptVectors::are_there(path);
    kept_.emplace(path, job);
    while (const auto block = kept_->next()) {
      require(block->rows.size() == block->texts.size() * static_cast<size_t>(width), "block: wrong size");
      records_ = block->records;
      write(*block);
    }
    if (!unfinished) return;
    note(records_ > 0 ? fmt::format("resumes after {} texts", records_)
                      : fmt::format("starts again: nothing that can be used was kept for {}", path));
  }
  int64_t records() const { return records_; }  // done before and now
  const VectorWriter& writer() const { return writer_; }

  // The vectors of the next records.
  void add(std::span<const Record> chunk, const Tensor& vectors, const std::vector<bool>& bad) {
    KeptVectors::Block block{.records = records_ += std::ssize(chunk)};
    for (size_t i = 0; i < chunk.size(); ++i) {
      if (bad[i]) continue;
      const auto row = vector_of(vectors, i);
      block.rows.insert(block.rows.end(), row.begin(), row.end());
      block.texts.push_back(chunk[i].text);
    }
    if (kept_) kept_->add(block);
    write(block);
  }
  void commit() {
    writer_.commit();
    if (kept_) kept_->remove();
  }

 private:
  void write(const KeptVectors::Block& block) {
    const size_t C = block.texts.empty() ? 0 : block.rows.size() / block.texts.size();
    for (size_t i = 0; i < block.texts.size(); ++i) {
      writer_.add(std::span(block.rows).subspan(i * C, C), block.texts[i]);
    }
  }

  VectorWriter writer_;
  std::optional<KeptVectors> kept_;
  int64_t records_ = 0;
};

void write_vectors(const EmbedRequest& request, Records& records, const Embed& embed, int64_t width,
                   const std::string& job) {
  Output output(request.out, width, job);
  const auto work = [&](std::span<const Record> chunk, const ReadOptions& reading) {
    std::vector<bool> bad(chunk.size());
    ReadOptions marked = reading;
    marked.on_bad = [&](size_t i, const Error& error) {
      bad[i] = true;
      reading.on_bad(i, error);
    };
    const Tensor vectors = embed(texts_of(chunk), marked);
    if (!reading.check_only) output.add(chunk, vectors, bad);
    return std::vector<std::string>();
  };
  each_chunk(request, records, work, {}, output.records());
  output.commit();
  print(fmt::format("{}: {} embeddings of {} numbers; {}: their texts\n", request.out, output.writer().rows(),
                    width, texts_path(request.out).string()));
}

// What an unfinished file of vectors depends on. Empty if its input cannot be read again.
std::string job_of(const EmbedRequest& request, const RecordSource& source, const Embedder& embedder) {
  if (!Records(source).can_rewind()) return "";
  std::string job = identity_of(embedder, request.prompt, request.reading);
  if (request.skip_bad) job += ", bad texts skipped";
  for (const std::string& word : source.words) job += fmt::format("\ntext {}", word);
  for (const std::string& file : source.files) {
    job += fmt::format("\n{} {}", source.is_jsonl(file) ? "jsonl" : "text", fingerprint(file));
  }
  return job;
}

// On rank 0, or in the only process.
void lead(const EmbedRequest& request, const Embedder& embedder, const Embed& embed, int processes) {
  constexpr size_t kScale = 4;  // chunks of an only process: the ranks wait for each other after each chunk
  RecordSource source = request.source("embed");
  if (processes > 1) source.scale = kScale * static_cast<size_t>(processes);
  Records records(source);
  if (!is_vector_file(request.out)) return write_lines(request, records, embed, embedder.width());
  const bool keeps = processes > 1 || KeptVectors::are_there(request.out);
  write_vectors(request, records, embed, embedder.width(), keeps ? job_of(request, source, embedder) : "");
}

// Returns the number of a signal that stopped the command, or 0.
int run_with_ranks(const EmbedRequest& request, const Embedder& embedder, dist::Transport& ranks) {
  const StopSignals signals;
  RankEmbedder shared(embedder, request.prompt, request.reading, ranks, [&] { return signals.signal(); });
  if (ranks.rank() > 0) return shared.help();
  const Embed embed = [&](ListView<std::string> texts, const ReadOptions& reading) {
    return reading.check_only ? embedder.embed(texts, reading, request.prompt) : shared.embed(texts, reading);
  };
  int stopped = 0;
  try {
    lead(request, embedder, embed, ranks.size());
  } catch (const dist::Stop& stop) {
    stopped = stop.number;
    if (is_vector_file(request.out)) note("stopped; finished texts are saved, and the same command resumes");
  }
  shared.dismiss(stopped);
  return stopped;
}

void run(const EmbedRequest& request) {
  int stopped = 0;
  with_ranks(request.dist, [&](dist::Transport& ranks) {
    if (ranks.rank() == 0) Records(request.source("embed"));  // its errors come before those of the model
    const Embedder embedder(request.folder, request.weights, request.device);
    note_model(embedder.model().trained());
    if (ranks.size() > 1) {
      stopped = run_with_ranks(request, embedder, ranks);
      return;
    }
    const Embed embed = [&](ListView<std::string> texts, const ReadOptions& reading) {
      return embedder.embed(texts, reading, request.prompt);
    };
    lead(request, embedder, embed, 1);
  });
  if (stopped != 0) throw Stopped{stopped};
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
      "  locus embed models/all-MiniLM-L6-v2 --file sentences.txt --out vectors.npy\n"
      "  mpirun -n 8 locus embed models/all-MiniLM-L6-v2 --file sentences.txt --out vectors.npy");
  auto request = std::make_shared<EmbedRequest>();
  add_text_options(command, *request, "Texts");
  command.option("--prompt", request->prompt,
                 "Name of a prompt defined by the model folder, such as query or document");
  command.option("--out", request->out, "Output file: .jsonl, .npy or .safetensors")
      .ends_in({".jsonl", ".npy", ".safetensors"});
  add_dist_options(command, request->dist);
  command.callback([request] { run(*request); });
}

}  // namespace locus::cli
