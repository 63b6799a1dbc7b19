#include <algorithm>
#include <cmath>

#include "locus/text/chat_template/print.h"
#include "locus/text/unicode.h"

namespace locus::chat {
namespace {

void add_unit(std::string& out, int32_t unit) { out += fmt::format("\\u{:04x}", unit); }

std::string escaped(std::string_view bytes, bool ascii) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  std::string out;
  for (size_t i = 0; i < bytes.size();) {
    const Character character = character_at(bytes, i);
    const int32_t code = character.code;
    if (const size_t known = kEscaped.find(bytes[i]); known != std::string_view::npos) {
      (out += '\\') += kLetters[known];
    } else if ((code >= 0 && code < 0x20) || (ascii && code >= 0x7f && code < 0x10000)) {
      add_unit(out, code);
    } else if (ascii && code >= 0x10000) {
      add_unit(out, 0xd800 + ((code - 0x10000) >> 10));
      add_unit(out, 0xdc00 + ((code - 0x10000) & 0x3ff));
    } else {
      out += bytes.substr(i, character.length);
    }
    i += character.length;
  }
  return out;
}

class JsonWriter {
 public:
  explicit JsonWriter(const JsonStyle& style)
      : style_(style),
        item_separator_(style.item_separator.value_or(style.indent ? "," : ", ")),
        key_separator_(style.key_separator.value_or(": ")) {}

  MarkedText out;

  void write(const Value& value, int level) {
    if (value.is_none()) return add("null");
    if (const bool* flag = value.as_flag()) return add(*flag ? "true" : "false");
    if (const int64_t* number = value.as_integer()) return add(fmt::format("{}", *number));
    if (const double* number = value.as_float()) return add(float_json(*number));
    if (const MarkedText* text = value.as_text()) return write(*text);
    if (const List* list = value.as_list(); list != nullptr && list->kind != ListKind::generator) {
      return write(*list, level);
    }
    if (const Map* map = value.as_map()) return write(*map, level);
    fail(Fault::data, "tojson: got a value of type {}, which JSON does not have", value.type());
  }

 private:
  void add(std::string_view text) { out.append(text, Origin::model); }
  static std::string float_json(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    return float_text(number);
  }
  void write(const MarkedText& text) {
    add("\"");
    text.each_part(
        [&](std::string_view bytes, Origin origin) { out.append(escaped(bytes, style_.ascii), origin); });
    add("\"");
  }
  void write_key(const Value& key) {
    if (key.as_text() != nullptr) return write(*key.as_text());
    add("\"");
    write(key, 0);
    add("\"");
  }
  void line(int level) {
    if (!style_.indent) return;
    add("\n");
    for (int i = 0; i < level; ++i) add(*style_.indent);
  }
  void write(const List& list, int level) {
    if (list.items.empty()) return add("[]");
    add("[");
    for (size_t i = 0; i < list.items.size(); ++i) {
      if (i > 0) add(item_separator_);
      line(level + 1);
      write(list.items[i], level + 1);
    }
    line(level);
    add("]");
  }
  void write(const Map& map, int level) {
    if (map.items.empty()) return add("{}");
    std::vector<const std::pair<Value, Value>*> items;
    for (const auto& item : map.items) items.push_back(&item);
    if (style_.sort_keys) {
      for (const auto* item : items) {
        require(item->first.as_text() != nullptr,
                "tojson: sort_keys is set, but a key is a {}, expected a text", item->first.type());
      }
      std::ranges::stable_sort(
          items, {}, [](const auto* item) -> const std::string& { return item->first.as_text()->bytes(); });
    }
    add("{");
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) add(item_separator_);
      line(level + 1);
      write_key(items[i]->first);
      add(key_separator_);
      write(items[i]->second, level + 1);
    }
    line(level);
    add("}");
  }

  const JsonStyle& style_;
  std::string item_separator_, key_separator_;
};

}  // namespace

MarkedText to_json(Steps& steps, const Value& value, const JsonStyle& style) {
  const size_t space = style.indent ? style.indent->size() * static_cast<size_t>(value.depth()) : 0;
  steps.take(value.weight() * (1 + space / 16));
  JsonWriter writer(style);
  writer.write(value, 0);
  steps.bytes(writer.out.size());
  return std::move(writer.out);
}

}  // namespace locus::chat
