// Models some of whose loops are kept closed by rows, not embedded in clusters (LoopTreatment::rows).
#pragma once

#include <memory>
#include <vector>

#include "tenon/model.hpp"

namespace tenon {

// Whether some loop is to be anything but embedded, while others are.
bool divides_loops(const Mechanism& mechanism, const CompileOptions& options);

// Model::compile for such. Checks all loops by embedding them.
std::shared_ptr<const Model> compile_divided(const Mechanism& mechanism, const CompileOptions& options);

// With every loop, coupling, gear and implicit constraint embedded, or none where options say open.
std::shared_ptr<Model> compile_embedded(const Mechanism& mechanism, const CompileOptions& options);

// Which loop constraints of an embedded model (Model::loops.constraints) cost less as rows. may_be: those
// that may, the others stay; are: those that are anyway.
std::vector<bool> cheaper_as_rows(const Model& embedded, const std::vector<bool>& may_be,
                                  const std::vector<bool>& are);

}  // namespace tenon
