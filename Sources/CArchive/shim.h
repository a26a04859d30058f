// libarchive: zip and tar, and what compresses them.
#pragma once

#include <archive.h>
#include <archive_entry.h>
