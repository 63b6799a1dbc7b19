// Tokenizers.
#include "locus/text/tokenizer.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "locus/apply/reading.h"
#include "locus/python/array.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"
#include "locus/python/texts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace locus::python {
namespace {

// The tokenizer of a folder; its base class has no constructor.
struct OpenTokenizer {
  std::unique_ptr<Tokenizer> tokenizer;
};

void open(OpenTokenizer* self, nb::handle folder) {
  const std::string place = path_of(folder).string();
  const WithoutGil computing;
  new (self) OpenTokenizer{load_tokenizer(place)};
}

// For every text (ids, offsets, segments); offsets are [(first character, end)], or None.
nb::list encode(const OpenTokenizer& self, nb::handle texts, bool offsets, bool framed, bool read_specials,
                nb::handle longest) {
  const std::vector<TextInput> inputs = inputs_of(texts, "texts");
  EncodeOptions options{.specials = read_specials ? Specials::are_tokens : Specials::are_text,
                        .framed = framed,
                        .unit = offsets ? OffsetUnit::code_points : OffsetUnit::none};
  if (!longest.is_none()) {
    const auto most = nb::cast<int64_t>(longest);
    require(most >= 0, "max_tokens: got {}, expected at least 0", most);
    options.longest = static_cast<size_t>(most);
  }
  std::vector<Encoding> found;
  {
    const WithoutGil computing;
    found = encode_each(inputs.size(), {}, [&](size_t i) {
      const TextInput& input = inputs[i];
      return input.second ? self.tokenizer->encoding(input.text, *input.second, options)
                          : self.tokenizer->encoding(input.text, options);
    });
  }
  nb::list all;
  for (const Encoding& one : found) {
    nb::object spans = nb::none();
    if (offsets) {
      nb::list list;
      for (const TextSpan& span : one.offsets) list.append(nb::make_tuple(span.begin, span.end));
      spans = list;
    }
    all.append(nb::make_tuple(nb::cast(one.ids), spans, nb::cast(one.segments)));
  }
  return all;
}

nb::str decode(const OpenTokenizer& self, const Array& ids, bool with_specials) {
  const std::vector<int32_t> list = integers_of(ids, "ids");
  std::string text;
  {
    const WithoutGil computing;
    text = with_specials ? self.tokenizer->decode(list) : self.tokenizer->decode_text(list);
  }
  return python_text(text);
}

nb::dict special_tokens(const OpenTokenizer& self) {
  nb::dict ids;
  for (const auto& [name, id] : self.tokenizer->specials().ids()) ids[python_text(name)] = id;
  return ids;
}

}  // namespace

void bind_tokenizer(nb::module_& module) {
  nb::class_<OpenTokenizer>(module, "Tokenizer")
      .def("__init__", open, kCounted, "folder"_a)
      .def("encode", encode, kCounted, "texts"_a, "offsets"_a, "framed"_a, "read_specials"_a,
           "longest"_a.none())
      .def("decode", decode, kCounted, "ids"_a, "with_specials"_a)
      .def(
          "token",
          [](const OpenTokenizer& self, int32_t id) { return python_text(self.tokenizer->bytes(id)); },
          kCounted)
      .def_prop_ro(
          "kind", [](const OpenTokenizer& self) { return std::string(self.tokenizer->kind()); }, kCounted)
      .def_prop_ro("size", [](const OpenTokenizer& self) { return self.tokenizer->size(); })
      .def_prop_ro("special_tokens", special_tokens, kCounted);
}

}  // namespace locus::python
