#include "page_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "plumb/trajectory/writers.h"

namespace plumb::cli {
namespace fs = std::filesystem;

void require_writable(const std::string& option, const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::absolute(path).parent_path();
  const auto fail = [&](const std::string& why) { throw InputError(fmt::format("{} {}: {}", option, path, why)); };
  if (fs::is_directory(path, error)) fail("is a directory; name a file");
  if (!fs::is_directory(folder, error)) fail(fmt::format("there is no directory {}", folder.string()));
  if (access(folder.c_str(), W_OK) != 0) fail(fmt::format("no file can be written in {}", folder.string()));
  if (fs::exists(path, error) && access(path.c_str(), W_OK) != 0) fail("the file is there already and is protected");
}

void make_directory(const std::string& option, const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path) || access(path.c_str(), W_OK) != 0)
    throw InputError(
        fmt::format("{} {}: cannot be made, or written in{}", option, path, error ? ": " + error.message() : ""));
}

std::string write_page(const StoredRun& run, const std::string& path, PageOptions options) {
  std::string also;
  if (displayed_rows(run.trajectory, options).size() < run.trajectory.rows() && options.full_data.empty()) {
    const fs::path csv = fs::path(path).replace_extension(".trajectory.csv");
    write_file(csv, trajectory_csv(run.trajectory));
    options.full_data = csv.filename().string();
    also = fmt::format("; thinned for display, all {} rows in {}", run.trajectory.rows(), csv.string());
  }
  const std::string page = result_page(run, options);
  write_file(path, page);
  return fmt::format("{} ({:.1f} MB{})", path, static_cast<double>(page.size()) / 1e6, also);
}

}  // namespace plumb::cli
