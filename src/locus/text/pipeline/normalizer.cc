#include "locus/text/pipeline/normalizer.h"

namespace locus {
namespace {

class NormalizerSequence final : public Normalizer {
 public:
  explicit NormalizerSequence(const JsonPart& part) : where_(part.where()) {
    for (const JsonPart& each : part.parts("normalizers")) steps_.push_back(read_normalizer(each));
  }
  void apply(AlignedText& text) const override {
    for (const auto& step : steps_) {
      step->apply(text);
      text.budget().check(text.text().size(), where_);
    }
  }
  SplitPoints split_points() const override {
    SplitPoints all = SplitPoints::before_ascii;
    for (const auto& step : steps_) all = std::min(all, step->split_points());
    return all;
  }

 private:
  std::string where_;
  std::vector<std::unique_ptr<Normalizer>> steps_;
};

class Normalizing final : public Normalizer {
 public:
  explicit Normalizing(NormalForm form) : form_(form) {}
  void apply(AlignedText& text) const override { normalize(text, form_); }
  SplitPoints split_points() const override { return SplitPoints::at_spaces; }

 private:
  NormalForm form_;
};

}  // namespace

std::unique_ptr<Normalizer> read_normalizer(const JsonPart& part) {
  const std::string type = part.type();
  if (type == "Sequence") return std::make_unique<NormalizerSequence>(part);
  if (type == "BertNormalizer") return read_bert_normalizer(part);
  if (type == "Precompiled") return read_precompiled(part);
  if (type == "NFC") return std::make_unique<Normalizing>(NormalForm::nfc);
  if (type == "NFD") return std::make_unique<Normalizing>(NormalForm::nfd);
  if (type == "NFKC") return std::make_unique<Normalizing>(NormalForm::nfkc);
  if (type == "NFKD") return std::make_unique<Normalizing>(NormalForm::nfkd);
  if (auto small = read_rewriting(part)) return small;
  part.refuse_type("normalizer", {"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Precompiled",
                                  "Prepend", "Replace", "Sequence", "Strip", "StripAccents"});
}

}  // namespace locus
