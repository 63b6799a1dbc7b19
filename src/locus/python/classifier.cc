// Classes of texts and of their tokens.
#include "locus/apply/classifier.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "locus/apply/tagger.h"
#include "locus/apply/zero_shot.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"
#include "locus/python/texts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace locus::python {
namespace {

void open_classifier(Classifier* self, nb::handle folder, const std::string& dtype,
                     const std::string& device) {
  const std::filesystem::path path = path_of(folder);
  const DType weights = weights_of(dtype);
  const Device place = device_of(device);
  const WithoutGil computing;
  new (self) Classifier(path, weights, place);
}

void open_tagger(Tagger* self, nb::handle folder, const std::string& dtype, const std::string& device) {
  const std::filesystem::path path = path_of(folder);
  const DType weights = weights_of(dtype);
  const Device place = device_of(device);
  const WithoutGil computing;
  new (self) Tagger(path, weights, place);
}

nb::list scores_of(const std::vector<Classification>& found) {
  nb::list all;
  for (const Classification& one : found) all.append(nb::cast(one.scores));
  return all;
}

nb::list classify(const Classifier& self, nb::handle texts, bool truncate, int64_t batch_tokens,
                  nb::handle progress) {
  const std::vector<TextInput> inputs = inputs_of(texts, "texts");
  const ReadOptions reading = reading_of(truncate, batch_tokens, progress);
  std::vector<Classification> found;
  {
    const WithoutGil computing;
    found = self.classify(inputs, reading);
  }
  return scores_of(found);
}

nb::list zero_shot(const Classifier& self, nb::handle texts, nb::handle labels, const std::string& hypothesis,
                   bool truncate, int64_t batch_tokens, nb::handle progress) {
  const std::vector<std::string> list = texts_of(texts, "texts");
  std::vector<std::string> names = texts_of(labels, "labels");
  const ReadOptions reading = reading_of(truncate, batch_tokens, progress);
  std::vector<Classification> found;
  {
    const WithoutGil computing;
    found = ZeroShot(self, std::move(names), hypothesis).classify(list, reading);
  }
  return scores_of(found);
}

// For every text (label, score, first character, end) of its spans.
nb::list tag(const Tagger& self, nb::handle texts, bool truncate, int64_t batch_tokens, nb::handle progress) {
  const std::vector<std::string> list = texts_of(texts, "texts");
  const ReadOptions reading = reading_of(truncate, batch_tokens, progress);
  std::vector<std::vector<TaggedSpan>> found;
  {
    const WithoutGil computing;
    found = self.tag(list, reading);
    for (size_t i = 0; i < list.size(); ++i) {
      std::vector<TextSpan> spans;
      for (const TaggedSpan& span : found[i]) spans.push_back(span.bytes);
      count_in_code_points(list[i], spans);
      for (size_t k = 0; k < spans.size(); ++k) found[i][k].bytes = spans[k];
    }
  }
  nb::list all;
  for (const std::vector<TaggedSpan>& spans : found) {
    nb::list of_text;
    for (const TaggedSpan& span : spans) {
      of_text.append(nb::make_tuple(python_text(span.label), span.score, span.bytes.begin, span.bytes.end));
    }
    all.append(of_text);
  }
  return all;
}

}  // namespace

void bind_classifier(nb::module_& module) {
  nb::class_<Classifier>(module, "Classifier")
      .def("__init__", open_classifier, kCounted, "folder"_a, "dtype"_a, "device"_a)
      .def("classify", classify, kCounted, "texts"_a, "truncate"_a, "batch_tokens"_a, "progress"_a.none())
      .def("zero_shot", zero_shot, kCounted, "texts"_a, "labels"_a, "hypothesis"_a, "truncate"_a,
           "batch_tokens"_a, "progress"_a.none())
      .def_prop_ro(
          "labels", [](const Classifier& self) { return python_texts(self.labels()); }, kCounted);
  nb::class_<Tagger>(module, "Tagger")
      .def("__init__", open_tagger, kCounted, "folder"_a, "dtype"_a, "device"_a)
      .def("tag", tag, kCounted, "texts"_a, "truncate"_a, "batch_tokens"_a, "progress"_a.none());
}

}  // namespace locus::python
