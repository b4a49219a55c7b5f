## What a workspace computes, of many states, in double precision. A state is a column: q is nq x states; an input of one
## column is the same for all, [] is none. A state that fails spoils only itself. Where the last output, the status of each
## state, is asked for, its results are NaN there; else the call fails when the others are done.
classdef Batch < handle
  properties (SetAccess = private)
    id = 0;  # for tenon_mex
    model;
    constraints;
    nq;
    nv;
    m;      # constraint rows
    width;  # how many states are computed side by side
  endproperties

  methods
    ## options: fields of tenon_batch_options, as struct('threads', 2).
    function self = Batch(model, constraints = [], options = [])
      if isempty(constraints)
        constraints = tenon.Constraints(model);
      endif
      constraints.finish();
      self.id = tenon_mex('batch_create', model.id, constraints.id, options);
      self.model = model;
      self.constraints = constraints;
      [self.nq, self.nv, self.m, self.width] = tenon_mex('batch_sizes', self.id);
    endfunction

    function delete(self)
      if self.id != 0
        tenon_mex('destroy', self.id);
      endif
    endfunction

    function [qdd, status] = forward_dynamics(self, q, v, tau, wrenches = [])
      if nargout > 1
        [qdd, status] = tenon_mex('batch_forward_dynamics', self.id, q, v, tau, wrenches);
      else
        qdd = tenon_mex('batch_forward_dynamics', self.id, q, v, tau, wrenches);
      endif
    endfunction

    function [tau, status] = inverse_dynamics(self, q, v, a, wrenches = [])
      if nargout > 1
        [tau, status] = tenon_mex('batch_inverse_dynamics', self.id, q, v, a, wrenches);
      else
        tau = tenon_mex('batch_inverse_dynamics', self.id, q, v, a, wrenches);
      endif
    endfunction

    ## Accelerations, nv x states, and forces of the rows, m x states. options: fields of tenon_solve_options.
    function [qdd, lambda, status] = constrained_dynamics(self, q, v, tau, wrenches = [], desired = [], options = [])
      given = {self.id, q, v, tau, wrenches, desired, options};
      if nargout > 2
        [qdd, lambda, status] = tenon_mex('batch_constrained_dynamics', given{:});
      else
        [qdd, lambda] = tenon_mex('batch_constrained_dynamics', given{:});
      endif
    endfunction

    ## Steps in time; tau is the same in all of them. options: fields of tenon_rollout_options, as struct('dt', 0.001,
    ## 'steps', 50, 'every', 10); solve: of tenon_solve_options. Positions and velocities, numbers x records x states.
    function [q_out, v_out, status] = rollout(self, q, v, tau, options = [], solve = [])
      given = {self.id, q, v, tau, options, solve};
      if nargout > 2
        [q_out, v_out, status] = tenon_mex('batch_rollout', given{:});
      else
        [q_out, v_out] = tenon_mex('batch_rollout', given{:});
      endif
    endfunction
  endmethods
endclassdef
