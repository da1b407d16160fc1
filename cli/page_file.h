// Writing a result page, and all rows beside it when the page does not carry them.
#pragma once

#include <string>

#include "plumb/report/page.h"

namespace plumb::cli {

// Throws InputError, before anything is computed, when `path` cannot be written.
void require_writable(const std::string& option, const std::string& path);

// Makes the directory if it is missing; throws InputError when that, or writing in it, is impossible.
void make_directory(const std::string& option, const std::string& path);

// "out.html (1.1 MB)", for telling the user.
std::string write_page(const StoredRun& run, const std::string& path, PageOptions options = {});

}  // namespace plumb::cli
