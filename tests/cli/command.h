// Runs the command as a user does: its exit code and what goes to which stream.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;
using nlohmann::json;

struct Output {
  int code;
  std::string out, err;
};

class Command : public ::testing::Test {
 protected:
  Command() : folder_(fs::temp_directory_path() / ("plumb-cli-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Command() override { fs::remove_all(folder_); }

  Output plumb(const std::string& arguments) const {
    const std::string err = (folder_ / "stderr").string();
    FILE* pipe = popen((std::string(PLUMB_COMMAND) + " " + arguments + " 2>" + err).c_str(), "r");
    Output o;
    std::array<char, 4096> buffer;
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) o.out.append(buffer.data(), n);
    o.code = WEXITSTATUS(pclose(pipe));
    o.err = read(err);
    return o;
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static std::string read(const fs::path& path) {
    std::ifstream in(path);
    std::stringstream s;
    s << in.rdbuf();
    return s.str();
  }

  fs::path folder_;
};
