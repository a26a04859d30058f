// zlib: what most entries of a zip are compressed with.
#pragma once

#include <zlib.h>
