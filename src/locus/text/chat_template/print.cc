#include "locus/text/chat_template/print.h"

#include <utf8proc.h>

#include <cmath>

#include "locus/text/unicode.h"

namespace locus::chat {
namespace {

// Whether Python's repr() leaves a character as it is.
bool is_printable(int32_t code) {
  if (code == Character::kNoCode) return false;
  if (code == ' ') return true;
  const utf8proc_category_t category = utf8proc_category(code);
  return category != UTF8PROC_CATEGORY_CN && category < UTF8PROC_CATEGORY_ZS;
}

void repr(const MarkedText& text, MarkedText& out) {
  const bool has_single = text.bytes().find('\'') != std::string::npos;
  const char quote = has_single && text.bytes().find('"') == std::string::npos ? '"' : '\'';
  const std::string mark(1, quote);
  out.append(mark, Origin::model);
  text.each_part([&](std::string_view bytes, Origin origin) {
    std::string part;
    for (size_t i = 0; i < bytes.size();) {
      const Character character = character_at(bytes, i);
      const int32_t code = character.code;
      if (code == quote || code == '\\') {
        (part += '\\') += static_cast<char>(code);
      } else if (code == '\n' || code == '\r' || code == '\t') {
        part += code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t";
      } else if (is_printable(code)) {
        part += bytes.substr(i, character.length);
      } else if (code < 0x100) {
        part += fmt::format("\\x{:02x}",
                            code == Character::kNoCode ? static_cast<unsigned char>(bytes[i]) : code);
      } else {
        part += code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
      }
      i += character.length;
    }
    out.append(part, origin);
  });
  out.append(mark, Origin::model);
}

// Appends the text of a value: texts as they are at the top, quoted inside of lists.
void print(const Value& value, bool top, MarkedText& out) {
  const auto add = [&](std::string_view text) { out.append(text, Origin::model); };
  if (value.is_undefined()) return add(top ? "" : "Undefined");
  if (value.is_none()) return add("None");
  if (const bool* flag = value.as_flag()) return add(*flag ? "True" : "False");
  if (const int64_t* number = value.as_integer()) return add(fmt::format("{}", *number));
  if (const double* number = value.as_float()) return add(float_text(*number));
  if (const MarkedText* text = value.as_text()) return top ? out.append(*text) : repr(*text, out);
  bool first = true;
  const auto separate = [&] {
    if (!first) add(", ");
    first = false;
  };
  if (const List* list = value.as_list(); list != nullptr && list->kind != ListKind::generator) {
    const bool tuple = list->kind == ListKind::tuple;
    add(tuple ? "(" : "[");
    for (const Value& item : list->items) {
      separate();
      print(item, false, out);
    }
    return add(!tuple ? "]" : list->items.size() == 1 ? ",)" : ")");
  }
  if (const Map* map = value.as_map()) {
    add("{");
    for (const auto& [key, item] : map->items) {
      separate();
      print(key, false, out);
      add(": ");
      print(item, false, out);
    }
    return add("}");
  }
  fail({Fault::data, Code::unsupported_field}, "the template prints a {}, which is not supported",
       value.type());
}

}  // namespace

std::string float_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

MarkedText printed(Steps& steps, const Value& value) {
  steps.take(value.weight());
  MarkedText out;
  print(value, true, out);
  steps.bytes(out.size());
  return out;
}

}  // namespace locus::chat
