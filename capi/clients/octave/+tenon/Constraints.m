## What is held on the links of a model: filled, then finished, by finish or the first workspace or batch; immutable from
## then on. Each add_... returns the number of the constraint; options has fields of tenon_constraint_options (tenon.h).
classdef Constraints < handle
  properties (SetAccess = private)
    id = 0;  # for tenon_mex
    model;
    finished = false;
  endproperties

  methods
    function self = Constraints(model)
      self.id = tenon_mex('constraints_create', model.id);
      self.model = model;
    endfunction

    function delete(self)
      if self.id != 0
        tenon_mex('destroy', self.id);
      endif
    endfunction

    ## A point of a link, 3, m; []: its origin.
    function number = add_point(self, link, point = [], options = [])
      number = tenon_mex('add_point', self.id, self.model.link_number(link), point, options);
    endfunction

    ## A frame of a link, pose of 7; []: the link's own.
    function number = add_weld(self, link, pose = [], options = [])
      number = tenon_mex('add_weld', self.id, self.model.link_number(link), pose, options);
    endfunction

    ## K a = k with the spatial acceleration a of the link in its frame; K has 6 columns.
    function number = add_rows(self, link, K, options = [])
      number = tenon_mex('add_rows', self.id, self.model.link_number(link), K, options);
    endfunction

    ## Does nothing the second time.
    function finish(self)
      if ! self.finished
        tenon_mex('finish', self.id);
        self.finished = true;
      endif
    endfunction

    function number = count(self)
      number = tenon_mex('constraint_count', self.id);
    endfunction

    ## The length of lambda. Finishes the set.
    function number = row_count(self)
      self.finish();
      number = tenon_mex('row_count', self.id);
    endfunction
  endmethods
endclassdef
