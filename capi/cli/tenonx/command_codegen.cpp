// tenon codegen: one algorithm for one robot as a C function.
#include <memory>

#include "tenonx/acados.hpp"
#include "tenonx/casadi.hpp"
#include "tenonx/recording.hpp"

namespace client {
namespace {

constexpr const char* help =
    R"(Writes one algorithm for one robot as a C function.

C99, straight-line code, <math.h> only: nothing is allocated, nothing branches, the robot's numbers
are in it. The comment at its head names arguments, sizes, units, joints and rows. `tenon count
MODEL` lists the algorithms.
)";

constexpr const char* examples = R"(Examples:
  tenon codegen models/iiwa14.urdf --algorithm rnea -o rnea.c
  tenon codegen models/solo12.urdf --floating --point FL_FOOT --algorithm pv --function solo_pv -o pv.c
  tenon codegen models/iiwa14.urdf --algorithm aba --lanes 8 -o aba8.c
  tenon codegen models/iiwa14.urdf --algorithm aba --casadi --derivatives -o iiwa14_aba.c
  cc -O2 -shared -fPIC iiwa14_aba.c -o iiwa14_aba.so -lm
  tenon codegen models/iiwa14.urdf --algorithm aba --acados --step 0.02 --function iiwa14 -o iiwa14.c)";

struct Arguments {
  RecordingArguments recording;
  std::string algorithm, function, output;
  int32_t lanes = 1;
  bool casadi = false, acados = false, derivatives = false, hessian = false;
  AcadosSettings for_acados;
};

std::string generate(const tenon_model* model, const tenon_constraints* constraints,
                     const Arguments& arguments) {
  tenonx_trace_options options = arguments.recording.options();
  options.lanes = arguments.lanes;
  options.derivatives = arguments.derivatives || arguments.acados ? 1 : 0;
  options.hessian = arguments.hessian ? 1 : 0;
  if (!arguments.function.empty()) options.function_name = arguments.function.c_str();
  return generate_code(model, constraints, arguments.algorithm.c_str(), options);
}

void run(const Arguments& arguments) {
  if ((arguments.casadi || arguments.acados) && arguments.lanes != 1)
    throw Failure(format("%s computes one state in a call; leave --lanes away.",
                         arguments.casadi ? "--casadi: CasADi" : "--acados: acados"),
                  2);
  const ModelHandle model = load(arguments.recording.robot.source());
  const ContactSet contacts = arguments.recording.make(model.get());
  const std::string generated = generate(model.get(), contacts.handle.get(), arguments);
  std::string text = generated;
  if (arguments.casadi) text += casadi_wrapper(generated);
  if (arguments.acados) text += acados_functions(model.get(), generated, arguments.for_acados);
  write_text(arguments.output, text);
}

}  // namespace

void add_codegen(CLI::App& app) {
  CLI::App* command = app.add_subcommand("codegen", help);
  command->footer(examples);
  auto arguments = std::make_shared<Arguments>();
  arguments->recording.add_to(*command);
  command->add_option("--algorithm", arguments->algorithm, "which one")->required()->type_name("NAME");
  command->add_option("--function", arguments->function, "its name in C; else that of robot and algorithm")
      ->type_name("NAME");
  command
      ->add_option("--lanes", arguments->lanes,
                   "states that a call computes side by side, by vector types of gcc and clang")
      ->check(CLI::IsMember({1, 2, 4, 8, 16}))
      ->capture_default_str();
  command->add_flag("--casadi", arguments->casadi,
                    "with what casadi.external needs, by the function's name and _casadi");
  CLI::Option* acados =
      command->add_flag("--acados", arguments->acados,
                        "with derivatives, and functions of implicit dynamics for acados' generic models");
  command
      ->add_option("--step", arguments->for_acados.step,
                   "with acados' discrete dynamics too, one step of semi-implicit Euler of so many seconds")
      ->check(between(1e-9, 1e3))
      ->type_name("SECONDS")
      ->needs(acados);
  add_repeated(
      *command, "--passive", arguments->for_acados.passive,
      "for acados: a joint without a motor, whose force is no control; the joint of a free base is one")
      ->type_name("JOINT")
      ->needs(acados);
  command->add_flag(
      "--derivatives", arguments->derivatives,
      "also a function of the derivatives by all inputs, as sparse matrices; by q: by its entries, those of "
      "quaternions too, and not by tangents");
  command->add_flag(
      "--hessian", arguments->hessian,
      "with derivatives, and functions of the gradient of a weighted sum of all results and of its sparse "
      "derivatives: the exact Hessians that IPOPT by CasADi, or acados' EXACT, ask for");
  command->add_option("-o,--output", arguments->output, "file to write; else standard output")
      ->type_name("FILE");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace client
