## The memory of computations on one state at a time. Arrays of any shape with the right number of doubles go in, columns
## and matrices come out; [] is none. wrenches: 6 for each link, [moment about its origin; force] along link axes. options
## has fields of tenon_solve_options (tenon.h); constants may be their names, as 'dense'.
classdef Workspace < handle
  properties (SetAccess = private)
    id = 0;  # for tenon_mex
    model;
    constraints;
    nq;
    nv;
    m;  # constraint rows
  endproperties

  methods
    function self = Workspace(model, constraints = [])
      set = [];
      if ! isempty(constraints)
        constraints.finish();
        set = constraints.id;
      endif
      self.id = tenon_mex('workspace_create', model.id, set);
      self.model = model;
      self.constraints = constraints;
      [self.nq, self.nv, self.m] = tenon_mex('sizes', self.id);
    endfunction

    function delete(self)
      if self.id != 0
        tenon_mex('destroy', self.id);
      endif
    endfunction

    ## Of the last computation: 'ok', or which caveat its answer has.
    function name = status(self)
      name = tenon_mex('status', self.id);
    endfunction

    ## How the last constrained solve went.
    function known = report(self)
      known = tenon_mex('report', self.id);
    endfunction

    function set_gravity(self, gravity)
      tenon_mex('set_gravity', self.id, gravity);
    endfunction

    function set_active(self, constraint, active)
      tenon_mex('set_active', self.id, constraint, double(active));
    endfunction

    ## ---- configurations

    function v = zeros(self)
      v = zeros(self.nv, 1);
    endfunction

    function q = neutral(self)
      q = tenon_mex('neutral', self.id);
    endfunction

    ## Within the limits, the same for the same seed everywhere.
    function q = random(self, seed)
      q = tenon_mex('random', self.id, seed);
    endfunction

    function next = integrate(self, q, v, dt)
      next = tenon_mex('integrate', self.id, q, v, dt);
    endfunction

    ## The velocity that leads from one configuration to another in unit time.
    function v = difference(self, from, to)
      v = tenon_mex('difference', self.id, from, to);
    endfunction

    ## ---- kinematics

    ## What follows answers for this state.
    function kinematics(self, q, v = [], a = [])
      tenon_mex('kinematics', self.id, q, v, a);
    endfunction

    ## [x y z qx qy qz qw] in the world.
    function pose = link_pose(self, link)
      pose = tenon_mex('link_pose', self.id, self.model.link_number(link));
    endfunction

    ## [angular; linear at the link's origin], along axes 'world' or 'link'.
    function velocity = link_velocity(self, link, axes = 'world')
      velocity = tenon_mex('link_velocity', self.id, self.model.link_number(link), axes);
    endfunction

    ## 6 x nv: J v = [angular velocity of the link; velocity of the point, or of its origin].
    function J = jacobian(self, link, axes = 'world', point = [])
      J = tenon_mex('jacobian', self.id, self.model.link_number(link), axes, point);
    endfunction

    function [kinetic, potential] = energy(self)
      [kinetic, potential] = tenon_mex('energy', self.id);
    endfunction

    ## ---- dynamics

    ## qdd = M^-1 (tau + external - c).
    function qdd = forward_dynamics(self, q, v, tau, wrenches = [])
      qdd = tenon_mex('forward_dynamics', self.id, q, v, tau, wrenches);
    endfunction

    ## tau = M a + c - external.
    function tau = inverse_dynamics(self, q, v, a, wrenches = [])
      tau = tenon_mex('inverse_dynamics', self.id, q, v, a, wrenches);
    endfunction

    ## c(q, v).
    function c = bias(self, q, v)
      c = tenon_mex('bias', self.id, q, v);
    endfunction

    function g = gravity_force(self, q)
      g = tenon_mex('gravity_force', self.id, q);
    endfunction

    function M = mass_matrix(self, q)
      M = tenon_mex('mass_matrix', self.id, q);
    endfunction

    ## ---- dynamics with constraints

    ## Accelerations, and the forces of the constraint rows. desired: accelerations of the rows.
    function [qdd, lambda] = constrained_dynamics(self, q, v, tau, wrenches = [], desired = [], options = [])
      [qdd, lambda] = tenon_mex('constrained_dynamics', self.id, q, v, tau, wrenches, desired, options);
    endfunction

    ## tau = M a + c - J' lambda.
    function tau = constrained_inverse_dynamics(self, q, v, a, lambda)
      tau = tenon_mex('constrained_inverse_dynamics', self.id, q, v, a, lambda);
    endfunction

    ## The rows at a state: J qdd = rhs.
    function [J, rhs, position_error, velocity] = constraint_rows(self, q, v)
      [J, rhs, position_error, velocity] = tenon_mex('constraint_rows', self.id, q, v);
    endfunction

    ## J M^-1 J'. method: of TENON_DELASSUS_METHOD_*, as 'pv_osimr'.
    function A = delassus(self, q, method = 'automatic')
      A = tenon_mex('delassus', self.id, q, struct('method', method));
    endfunction

    ## The state one step in time on. integrator: 'semi_implicit_euler' or 'runge_kutta_4'.
    function [q, v] = step(self, q, v, tau, dt, integrator = 'semi_implicit_euler', options = [])
      [q, v] = tenon_mex('step', self.id, q, v, tau, dt, integrator, options);
    endfunction
  endmethods
endclassdef
