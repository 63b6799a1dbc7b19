// Items and slices of lists and texts. The items of a text are its characters.
#pragma once

#include "locus/text/chat_template/steps.h"
#include "locus/text/chat_template/value.h"

namespace locus::chat {

size_t length_of(Steps& steps, const Value& value);
// value[index]: an item of a list, a text, a map or a namespace; undefined if there is no such item.
Value item_of(Steps& steps, const Value& value, const Value& index);
// value[begin:end:step]; none is an omitted place.
Value slice_of(Steps& steps, const Value& value, const Value& begin, const Value& end, const Value& step);

}  // namespace locus::chat
