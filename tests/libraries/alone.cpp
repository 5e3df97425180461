// A program of one library and what it may stand on, all of it: what it must not use is missing here, and then it does not
// link.
int main() {}
