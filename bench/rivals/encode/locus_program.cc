// The library without Python: the difference to the contender `locus` is what Python adds.
#include "bench/rivals/embed/sentences.h"

int main(int argc, char** argv) { return locus::bench::serve_sentences(argc, argv, locus::DType::f32); }
