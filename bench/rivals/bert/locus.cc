#include "bench/rivals/encoder.h"

int main(int argc, char** argv) { return locus::bench::serve(argc, argv, locus::bench::encoder); }
