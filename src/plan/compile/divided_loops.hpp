// Models in which rows close some loops and clusters embed the others (LoopTreatment::rows).
#pragma once

#include <memory>
#include <vector>

#include "tenon/model.hpp"

namespace tenon {

// Whether some loop is not to be embedded (unless options leave all loops open).
bool divides_loops(const Mechanism& mechanism, const CompileOptions& options);

// Model::compile for such models. Embeds all loops first, which checks them.
std::shared_ptr<const Model> compile_divided(const Mechanism& mechanism, const CompileOptions& options);

// Compiles with every loop, coupling, gear and implicit constraint embedded, or none if options say open.
std::shared_ptr<Model> compile_embedded(const Mechanism& mechanism, const CompileOptions& options);

}  // namespace tenon
