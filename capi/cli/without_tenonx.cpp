// In place of tenonx/, in builds without tenonx.h (TENON_EXPERIMENTAL=OFF).
#include "commands/commands.hpp"
#include "exchange/code.hpp"

namespace client {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw Failure(
      format("unsupported: this build of Tenon has no %s; take a release, or build it with "
             "TENON_EXPERIMENTAL=ON.",
             what));
}

void add_missing(CLI::App& app, const char* name, const char* what) {
  CLI::App* command = app.add_subcommand(name, format("Not in this build of Tenon: %s.", what));
  command->allow_extras();
  command->callback([what] { refuse(what); });
}

}  // namespace

void add_count(CLI::App& app) {
  add_missing(app, "count", "counts of operations");
}

void add_codegen(CLI::App& app) {
  add_missing(app, "codegen", "generated code");
}

std::string generate_code(const tenon_model*, const char*, const char*) {
  refuse("generated code");
}

}  // namespace client
