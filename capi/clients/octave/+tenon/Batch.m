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

    ## ---- settings of constraints, which count from 1: those of many states are for calls of as many; those of one state
    ## hold in all

    ## The pose, 7, at which a constraint is held in all states.
    function set_anchor(self, constraint, pose)
      tenon_mex('batch_set_anchor', self.id, constraint, pose);
    endfunction

    ## 7 x constraints x states.
    function set_anchors(self, poses)
      tenon_mex('batch_set_anchors', self.id, poses);
    endfunction

    ## What was set, 7 x constraints x states.
    function poses = anchors(self, states)
      poses = tenon_mex('batch_anchors', self.id, states);
    endfunction

    ## The anchors of all constraints are where they are at q.
    function status = anchor_here(self, q)
      if nargout > 0
        status = tenon_mex('batch_anchor_here', self.id, q);
      else
        tenon_mex('batch_anchor_here', self.id, q);
      endif
    endfunction

    ## Which constraints are on, constraints x states.
    function set_active(self, active)
      tenon_mex('batch_set_active', self.id, double(active));
    endfunction

    ## constraints x states; damping ratios are 1 where they are not given.
    function set_gains(self, frequencies, damping_ratios = [])
      tenon_mex('batch_set_gains', self.id, frequencies, damping_ratios);
    endfunction

    ## ---- computations

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
