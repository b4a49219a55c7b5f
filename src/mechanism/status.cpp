#include "tenon/status.hpp"

namespace tenon {

const char* status_name(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::max_iterations:
      return "max_iterations";
    case Status::infeasible:
      return "infeasible";
    case Status::rank_deficient:
      return "rank_deficient";
    case Status::invalid_argument:
      return "invalid_argument";
    case Status::wrong_size:
      return "wrong_size";
    case Status::not_finite:
      return "not_finite";
    case Status::out_of_range:
      return "out_of_range";
    case Status::not_normalized:
      return "not_normalized";
    case Status::parse_error:
      return "parse_error";
    case Status::file_error:
      return "file_error";
    case Status::invalid_model:
      return "invalid_model";
    case Status::invalid_inertia:
      return "invalid_inertia";
    case Status::not_found:
      return "not_found";
    case Status::not_positive_definite:
      return "not_positive_definite";
    case Status::singular_configuration:
      return "singular_configuration";
    case Status::open_loop:
      return "open_loop";
    case Status::unsupported:
      return "unsupported";
    case Status::out_of_memory:
      return "out_of_memory";
    case Status::internal_error:
      return "internal_error";
  }
  return "unknown";
}

}  // namespace tenon
