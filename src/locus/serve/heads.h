// What one folder can do: its model, opened once, and the classes that apply it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "locus/apply/answerer.h"
#include "locus/apply/classifier.h"
#include "locus/apply/embedder.h"
#include "locus/apply/filler.h"
#include "locus/apply/tagger.h"
#include "locus/apply/writer.h"
#include "locus/text/chat_template/chat_template.h"

namespace locus::serve {

enum class Task { none, embed, classify, rerank, tag, fill, answer, write, chat, translate };

class Heads {
 public:
  Heads(const std::filesystem::path& folder, DType weights, Device device);

  const TextModel& model() const { return model_; }
  bool can(Task task) const;

  // Only if can(its task).
  const Embedder& embedder() const { return *embedder_; }
  const Classifier& classifier() const { return *classifier_; }
  const Tagger& tagger() const { return *tagger_; }
  const Filler& filler() const { return *filler_; }
  const Answerer& answerer() const { return *answerer_; }
  const Writer& writer() const { return *writer_; }
  const ChatTemplate& chat() const;  // throws 501 if the template of the folder cannot be read

  // Runs a short text through the model, so that the first request finds weights and code in memory.
  void warm_up() const;
  std::vector<std::string> warnings() const;
  // Of the weights and the program: equal fingerprints give equal answers.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  TextModel model_;
  std::optional<Embedder> embedder_;
  std::optional<Classifier> classifier_;
  std::optional<Tagger> tagger_;
  std::optional<Filler> filler_;
  std::optional<Answerer> answerer_;
  std::optional<Writer> writer_;
  std::optional<ChatTemplate> chat_;
  std::string chat_failure_;  // why the template of the folder cannot be read
  std::string fingerprint_;
};

}  // namespace locus::serve
