// First derivatives of what kinematics() computes: the functions of include/tenon/kinematics_derivatives.h. Each output
// may be left out; accumulate adds to matrices and gradients, never to values. Status::unsupported in independent coordinates of a model with a loop by a function of the user.
#pragma once

#include "data/motion_changes.hpp"
#include "tenon/derivatives.hpp"

namespace tenon {

// After kinematics(): of the velocity and the classical acceleration of a point fixed to a link, 6 x nv. point3 null:
// the link's origin.
Status point_velocity_derivatives(Workspace& w, const DerivativeOptions& options, int link,
                                  const double* point3, RowAxes axes, const DerivativeOut& by_q,
                                  const DerivativeOut& by_v);
Status point_acceleration_derivatives(Workspace& w, const DerivativeOptions& options, int link,
                                      const double* point3, RowAxes axes, const Derivatives& out);

// Products with the derivatives of poses, velocities and classical accelerations of links, directly after kinematics(). What is
// of a pose is six numbers: of the turn of the link and the displacement of its origin along `axes`, as its velocity is.
// From gradients by the three, 6 numbers a link (null: zero), those by q, v and a (null: not wanted).
Status kinematics_vjp(Workspace& w, const DerivativeOptions& options, const ChosenLinks& links, RowAxes axes,
                      const BodyMotions<const double>& by, const JointMotions<double>& to);
// From changes of q, v and a (null: zero) those of the three (null: not wanted).
Status kinematics_jvp(Workspace& w, const DerivativeOptions& options, const ChosenLinks& links, RowAxes axes,
                      const JointMotions<const double>& along, const BodyMotions<double>& to);
// The same of the numbers of the whole robot (data/centroidal_numbers.hpp): from gradients by parts that are given, in their
// places, and to changes of parts, of each where it is not null.
Status centroidal_vjp(Workspace& w, const DerivativeOptions& options, const CentroidalParts& given,
                      const double* gradient, double* by_q, double* by_v);
// By inertias, armatures and gravity alone.
Status centroidal_parameter_vjp(Workspace& w, const DerivativeOptions& options, const CentroidalParts& given,
                                const double* gradient, const ParameterGradient& out);
Status centroidal_jvp(Workspace& w, const DerivativeOptions& options, const double* dq, const double* dv,
                      double* const (&changes)[centroidal_parts]);
// Whether these are there: unsupported as the others.
Status check_differentiable_kinematics(Workspace& w);

// After kinematics(): of the centre of mass, 3 x nv, and of the momentum about it, 6 x nv.
struct CenterOfMassDerivatives {
  DerivativeOut velocity_q, acceleration_q, acceleration_v;
};
Status center_of_mass_derivatives(Workspace& w, const DerivativeOptions& options, double* acceleration3,
                                  const CenterOfMassDerivatives& out);
struct CentroidalMomentumDerivatives {
  DerivativeOut momentum_q, momentum_v, rate_q, rate_v;
};
Status centroidal_momentum_derivatives(Workspace& w, const DerivativeOptions& options, double* rate6,
                                       const CentroidalMomentumDerivatives& out);

// After kinematics(): of energy(), nv each.
Status energy_gradients(Workspace& w, const DerivativeOptions& options, double* kinetic_q, double* kinetic_v,
                        double* potential_q);

// Of gravity_force(), nv x nv, and nv x 3 by the gravity of the workspace. Also with embedded loops.
Status gravity_force_derivatives(Workspace& w, const DerivativeOptions& options, const double* q, double* g,
                                 const DerivativeOut& by_q, const DerivativeOut& by_gravity);

}  // namespace tenon
