#include "tenonx/recording.hpp"

namespace client {

void RecordingArguments::add_to(CLI::App& command) {
  robot.add_to(command);
  contacts.add_to(command);
  command.add_option("--axes", axes, "axes along which the contacts' rows lie")
      ->check(CLI::IsMember({"link", "world"}))
      ->capture_default_str();
  command.add_option("--iterations", iterations, "of proximal methods")
      ->check(between(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--mu", mu, "their parameter, over a row's typical Delassus diagonal")
      ->check(between(1e-300, 1e300))
      ->type_name("MU")
      ->capture_default_str();
}

ContactSet RecordingArguments::make(const tenon_model* model) const {
  return make_contacts(model, contacts.requests(), {}, axes == "world" ? TENON_AXES_WORLD : TENON_AXES_LINK);
}

tenonx_trace_options RecordingArguments::options() const {
  tenonx_trace_options options;
  tenonx_trace_options_init(&options, sizeof options);
  options.iterations = iterations;
  options.mu = mu;
  return options;
}

}  // namespace client
