// What the opaque pointers of tenon.h point at. Children hold shared pointers to what they need, so that
// handles may be destroyed in any order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tenon.h"
#include "tenon/batch.hpp"
#include "tenon/constraints.hpp"
#include "tenon/mechanism.hpp"
#include "tenon/model.hpp"
#include "tenon/workspace.hpp"

struct tenon_model {
  std::shared_ptr<const tenon::Model> core;
};

// What the function of an implicit constraint is handed: `user`, given back when nothing holds it any more, and sizes.
struct ImplicitUser {
  void* user = nullptr;
  tenon_release_callback release = nullptr;
  std::atomic<int32_t> nq = 0, nv = 0;

  ImplicitUser() = default;
  ImplicitUser(const ImplicitUser&) = delete;
  ImplicitUser& operator=(const ImplicitUser&) = delete;
  ~ImplicitUser() {
    if (release != nullptr) release(user);
  }
};

struct tenon_builder {
  tenon::Mechanism mechanism;
  std::vector<std::shared_ptr<ImplicitUser>> users = {};  // of mechanism.implicits
};

struct tenon_constraints {
  std::shared_ptr<const tenon::Model> model;
  std::vector<tenon::ConstraintSpec> specs;          // as added
  std::shared_ptr<const tenon::ConstraintSet> core;  // null until finished
};

// Of its implicit constraints, before a model is made.
void tell_sizes(const tenon_builder& builder);

namespace tenon::capi {

// The core writes -1 for none, as tenon.h does, and for the world too.
constexpr std::int32_t core_world = -1;
constexpr std::int32_t or_world(std::int32_t index) {
  return index == core_world ? TENON_WORLD : index;
}

// Arguments are checked before the core is called: where that check failed the message is here.
struct CallMessage {
  bool failed_before_core = false;
  char text[512] = "";
};

}  // namespace tenon::capi

struct tenon_workspace {
  tenon_workspace(std::shared_ptr<const tenon::Model> model,
                  std::shared_ptr<const tenon::ConstraintSet> constraints,
                  const tenon::WorkspaceOptions& options)
      : core(std::move(model), std::move(constraints), options) {}
  // A clone.
  explicit tenon_workspace(const tenon_workspace& from) : core(from.core, tenon::Workspace::Clone{}) {}

  tenon::Workspace core;
  mutable tenon::capi::CallMessage message;
};

struct tenon_batch {
  tenon_batch(std::shared_ptr<const tenon::Model> model,
              std::shared_ptr<const tenon::ConstraintSet> constraints, const tenon::BatchOptions& options)
      : core(std::move(model), std::move(constraints), options) {}
  // A clone.
  explicit tenon_batch(const tenon_batch& from) : core(from.core, tenon::Batch::Clone{}) {}

  tenon::Batch core;
  mutable tenon::capi::CallMessage message;
};
