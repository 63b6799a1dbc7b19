#include "bench/rivals/token_ids.h"

int main(int argc, char** argv) { return locus::bench::serve_tokens(argc, argv); }
