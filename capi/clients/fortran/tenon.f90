! Tenon: dynamics of articulated robots whose links are held and whose joints are tied by kinematic loops. Types on
! tenon_raw, which comes with them: every function of tenon.h, which is the manual of every call.
module tenon
  use tenon_raw
  use tenon_objects, only: dp, text
  use tenon_models
  use tenon_sets
  use tenon_workspaces
  use tenon_batches
  implicit none
end module tenon
