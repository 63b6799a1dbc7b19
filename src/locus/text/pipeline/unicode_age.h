// Characters younger than the tables of HF tokenizers. Its BERT parts know the categories of Unicode 8, its
// normal forms those of Unicode 9; to them such a character is unassigned: no mark, no punctuation, no format
// character, and nothing to decompose. Vocabularies were made with these tables, so Locus answers as they do.
#pragma once

#include <cstdint>

namespace locus {

bool younger_than_unicode_9(int32_t code);   // among marks, punctuation and format characters
bool younger_than_unicode_10(int32_t code);  // among marks and what decomposes

}  // namespace locus
