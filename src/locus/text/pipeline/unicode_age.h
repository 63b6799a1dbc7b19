// Characters that are newer than the tables of Hugging Face tokenizers. Its BERT parts use the categories of
// Unicode 8, and its normal forms those of Unicode 9. To them a newer character is unassigned: not a mark,
// not punctuation, not a format character, and without decomposition. Vocabularies were made with these
// tables, so Locus must agree with them.
#pragma once

#include <cstdint>

namespace locus {

bool added_since_unicode_9(int32_t code);   // among marks, punctuation and format characters
bool added_since_unicode_10(int32_t code);  // among marks and characters that decompose

}  // namespace locus
