#include "locus/serve/heads.h"

#include "locus/base/checksum.h"
#include "locus/base/fingerprint.h"
#include "locus/base/paths.h"
#include "locus/base/version.h"
#include "locus/checkpoint/sentence_modules.h"
#include "locus/kernel/cpu/targets.h"
#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

namespace fs = std::filesystem;

// Of the version, the SIMD target, and the files with the weights.
std::string fingerprint_of(const fs::path& checkpoint) {
  std::string all(version());
  all += kernel::cpu::supported_targets().front();
  for (const fs::path& file : entries_of(checkpoint)) {
    if (file.extension() == ".safetensors") all += file.filename().string() + fingerprint(file);
  }
  return fmt::format("locus-{}-{:016x}", version(), checksum(all));
}

}  // namespace

Heads::Heads(const fs::path& folder, DType weights, Device device)
    : model_(folder, weights, device), fingerprint_(fingerprint_of(model_.trained().checkpoint())) {
  const Blueprint& b = model_.blueprint();
  switch (b.head.kind) {
    case HeadKind::next_token:
      writer_.emplace(model_);
      break;
    case HeadKind::masked_token:
      filler_.emplace(model_);
      break;
    case HeadKind::sequence_class:
      classifier_.emplace(model_);
      break;
    case HeadKind::token_class:
      tagger_.emplace(model_);
      break;
    case HeadKind::answer:
      answerer_.emplace(model_);
      break;
    case HeadKind::none:
    case HeadKind::embedding:
      break;
  }
  // The hidden states of any encoder can be pooled, and those of a decoder if its folder defines how.
  const bool has_modules = is_there(folder / kModulesFile);
  if (b.kind == ModelKind::encoder || (b.kind == ModelKind::decoder && has_modules))
    embedder_.emplace(model_);
  if (!writer_ || writer_->is_encoder_decoder()) return;
  try {
    chat_.emplace(load_chat_template(folder));
  } catch (const Error& error) {
    if (error.code() != Code::missing_file) chat_failure_ = error.what();
  }
}

bool Heads::can(Task task) const {
  switch (task) {
    case Task::none:
      return true;
    case Task::embed:
      return embedder_.has_value();
    case Task::classify:
      return classifier_.has_value();
    case Task::rerank:
      return classifier_ && classifier_->labels().size() == 1;
    case Task::tag:
      return tagger_.has_value();
    case Task::fill:
      return filler_.has_value();
    case Task::answer:
      return answerer_.has_value();
    case Task::write:
      return writer_.has_value();
    case Task::chat:
      return chat_ || !chat_failure_.empty();
    case Task::translate:
      return writer_ && writer_->is_encoder_decoder();
  }
  return false;
}

const ChatTemplate& Heads::chat() const {
  if (!chat_) throw Refused(kTemplate, chat_failure_);
  return *chat_;
}

void Heads::warm_up() const {
  const NoGrad no_grad;
  try {
    const Encoding text = model_.read({"a"}, true);
    const Encoding* const batch[] = {&text};
    model_(packed(model_.blueprint(), batch));
  } catch (const Error&) {  // a request will report it
  }
}

std::vector<std::string> Heads::warnings() const { return writer_ ? writer_->warnings() : model_.warnings(); }

}  // namespace locus::serve
