#include "bench/rivals/encoder.h"

int main(int argc, char** argv) { return locus::bench::serve_encoder(argc, argv); }
