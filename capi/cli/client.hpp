// The C API in C++ clothes: handles that free themselves, failures that are sentences, the counts next to the
// arrays.
//
// Everything in this folder is a client of tenon.h alone, as any other program would be.
#pragma once

#include <tenon.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace client {

// Ends the program with one sentence. Exit code 1: something failed; 2: the command line is wrong.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& sentence, int exit_code = 1)
      : std::runtime_error(sentence), code_(exit_code) {}
  int exit_code() const { return code_; }

 private:
  int code_;
};

struct Destroy {
  void operator()(tenon_model* model) const { tenon_model_destroy(model); }
  void operator()(tenon_constraints* constraints) const { tenon_constraints_destroy(constraints); }
  void operator()(tenon_workspace* workspace) const { tenon_workspace_destroy(workspace); }
};
using ModelHandle = std::unique_ptr<tenon_model, Destroy>;
using ConstraintsHandle = std::unique_ptr<tenon_constraints, Destroy>;
using WorkspaceHandle = std::unique_ptr<tenon_workspace, Destroy>;

using Vector = std::vector<double>;

struct ModelSource {
  std::string path;
  bool floating = false;
  std::array<double, 3> gravity = {0, 0, -9.81};
  bool ignore_mimic = false, tolerant_inertias = false;
};

ModelHandle load(const ModelSource& source);
WorkspaceHandle make_workspace(const tenon_model* model, const tenon_constraints* constraints);

// All moving joints, in their order.
std::vector<tenon_joint_info> joints(const tenon_model* model);
tenon_link_info link(const tenon_model* model, int32_t index);
// option: that gave the name, for the failure; "" for none.
int32_t find_link(const tenon_model* model, const std::string& name, const std::string& option = "");
int32_t find_joint(const tenon_model* model, const std::string& name, const std::string& option = "");

// True for joints of one coordinate: revolute, continuous, prismatic, screw.
bool has_one_coordinate(const tenon_joint_info& joint);

// Where a link is, after tenon_kinematics.
struct Placed {
  std::array<double, 3> point;     // the link's origin, world
  std::array<double, 9> rotation;  // column-major
  std::array<double, 3> at(const std::array<double, 3>& in_link) const;
};
Placed place(tenon_workspace* workspace, int32_t link);

// Throws what the workspace says when the status is negative; `doing` names the attempt.
void check(tenon_status status, const tenon_workspace* workspace, const char* doing);

// Numbers separated by commas. Throws a usage failure naming `option`.
Vector parse_numbers(const std::string& text, const std::string& option);
// "name=1,2" in its two halves.
std::pair<std::string, Vector> parse_assignment(const std::string& text, const std::string& option);

// The arguments of main behind the program's name, the last one first, as CLI11 takes them; in UTF-8, which they are in
// already on all systems but Windows.
std::vector<std::string> utf8_arguments(int argc, char** argv);

// fopen of a path in UTF-8; null where it cannot be opened.
std::FILE* open_file(const std::string& path, const char* mode);

// Whether a path stands for standard output.
inline bool is_standard_output(const std::string& path) {
  return path == "-";
}

// A file that is written, or standard output. Every function throws where something cannot be written, with a sentence
// that begins with `what`.
class Output {
 public:
  Output(std::string what, const std::string& path);
  void write(const std::string& text);
  // All has reached the disk.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  void check(bool good) const;

  std::string what_, path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// The exit code of a program: `code`, or 1 and a sentence where standard output lost something.
int finish(const char* program, int code);

#if defined(__GNUC__)
#define CLIENT_PRINTF __attribute__((format(printf, 1, 2)))
#else
#define CLIENT_PRINTF
#endif
// printf into a string.
CLIENT_PRINTF std::string format(const char* pattern, ...);

}  // namespace client
