#include <lz4hc.h>
