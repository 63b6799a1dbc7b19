// Masked words and answers to questions.
#include "locus/apply/answerer.h"

#include <nanobind/stl/string.h>

#include "locus/apply/filler.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"
#include "locus/python/texts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace locus::python {
namespace {

void open_filler(Filler* self, nb::handle folder, const std::string& dtype, const std::string& device) {
  const std::filesystem::path path = path_of(folder);
  const DType weights = weights_of(dtype);
  const Device place = device_of(device);
  const WithoutGil computing;
  new (self) Filler(path, weights, place);
}

void open_answerer(Answerer* self, nb::handle folder, const std::string& dtype, const std::string& device) {
  const std::filesystem::path path = path_of(folder);
  const DType weights = weights_of(dtype);
  const Device place = device_of(device);
  const WithoutGil computing;
  new (self) Answerer(path, weights, place);
}

// For every mask (first character, end, [(token, id, score, whole text or None)]).
nb::list python_masks(const std::string& text, const std::vector<FilledMask>& masks) {
  nb::list all;
  for (const FilledMask& mask : masks) {
    nb::list best;
    for (size_t i = 0; i < mask.best.size(); ++i) {
      const Filling& one = mask.best[i];
      const nb::object whole = mask.texts.empty() ? nb::none() : nb::object(python_text(mask.texts[i]));
      best.append(nb::make_tuple(python_text(one.token), one.id, one.score, whole));
    }
    const TextSpan span = in_characters(text, mask.bytes);
    all.append(nb::make_tuple(span.begin, span.end, best));
  }
  return all;
}

nb::list fill(const Filler& self, nb::handle texts, int64_t count, bool truncate, int64_t batch_tokens,
              nb::handle progress) {
  require(count >= 1, "top_k: got {}, expected at least 1", count);
  const std::vector<std::string> list = texts_of(texts, "texts");
  const ReadOptions reading = reading_of(truncate, batch_tokens, progress);
  std::vector<std::vector<FilledMask>> found;
  {
    const WithoutGil computing;
    found = self.fill(list, static_cast<size_t>(count), reading);
  }
  nb::list all;
  for (size_t i = 0; i < list.size(); ++i) all.append(python_masks(list[i], found[i]));
  return all;
}

// For every question (found, score, first character, end).
nb::list answer(const Answerer& self, nb::handle questions, nb::handle contexts, const AnswerOptions& options,
                int64_t batch_tokens, nb::handle progress) {
  const std::vector<std::string> asked = texts_of(questions, "questions"),
                                 read = texts_of(contexts, "contexts");
  require(asked.size() == read.size(), Code::bad_shape,
          "answer: got {} questions and {} contexts, expected the same number", asked.size(), read.size());
  std::vector<QuestionInput> inputs;
  for (size_t i = 0; i < asked.size(); ++i) inputs.push_back({asked[i], read[i]});
  const ReadOptions reading = reading_of(false, batch_tokens, progress);
  std::vector<FoundAnswer> found;
  {
    const WithoutGil computing;
    found = self.answer(inputs, options, reading);
  }
  nb::list all;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TextSpan span = in_characters(read[i], found[i].bytes);
    all.append(nb::make_tuple(found[i].found, found[i].score, span.begin, span.end));
  }
  return all;
}

}  // namespace

void bind_answerer(nb::module_& module) {
  nb::class_<Filler>(module, "Filler")
      .def("__init__", open_filler, kCounted, "folder"_a, "dtype"_a, "device"_a)
      .def("fill", fill, kCounted, "texts"_a, "top_k"_a, "truncate"_a, "batch_tokens"_a, "progress"_a.none())
      .def_prop_ro(
          "mask", [](const Filler& self) { return python_text(self.mask()); }, kCounted);
  nb::class_<Answerer>(module, "Answerer")
      .def("__init__", open_answerer, kCounted, "folder"_a, "dtype"_a, "device"_a)
      .def(
          "answer",
          [](const Answerer& self, nb::handle questions, nb::handle contexts, int64_t window, int64_t overlap,
             int64_t longest, int64_t batch_tokens, nb::handle progress) {
            return answer(self, questions, contexts,
                          {.window = window, .overlap = overlap, .longest = longest}, batch_tokens, progress);
          },
          kCounted, "questions"_a, "contexts"_a, "window"_a, "overlap"_a, "longest"_a, "batch_tokens"_a,
          "progress"_a.none());
}

}  // namespace locus::python
