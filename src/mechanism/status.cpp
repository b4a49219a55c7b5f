#include "tenon/status.hpp"

#include <utility>

namespace tenon {

const char* status_name(Status status) noexcept {
  static constexpr std::pair<Status, const char*> names[] = {
      {Status::ok, "ok"},
      {Status::max_iterations, "max_iterations"},
      {Status::infeasible, "infeasible"},
      {Status::rank_deficient, "rank_deficient"},
      {Status::invalid_argument, "invalid_argument"},
      {Status::wrong_size, "wrong_size"},
      {Status::not_finite, "not_finite"},
      {Status::out_of_range, "out_of_range"},
      {Status::not_normalized, "not_normalized"},
      {Status::parse_error, "parse_error"},
      {Status::file_error, "file_error"},
      {Status::invalid_model, "invalid_model"},
      {Status::invalid_inertia, "invalid_inertia"},
      {Status::not_found, "not_found"},
      {Status::not_positive_definite, "not_positive_definite"},
      {Status::singular_configuration, "singular_configuration"},
      {Status::open_loop, "open_loop"},
      {Status::unsupported, "unsupported"},
      {Status::out_of_memory, "out_of_memory"},
      {Status::internal_error, "internal_error"}};
  for (const auto& [known, name] : names)
    if (status == known) return name;
  return "unknown";
}

}  // namespace tenon
