// The program: one file per subcommand, and this one that lists them.
int main() { return 0; }
