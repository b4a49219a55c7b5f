## A robot: immutable. Links and joints are numbered from 1, or named.
##
##     robot = tenon.Model('models/atlas.urdf', struct('base', 'floating'));
##
## The second argument has fields of tenon_model_options (tenon.h). What fails is an error whose identifier has the status:
## 'Tenon:file_error'.
classdef Model < handle
  properties (SetAccess = private)
    id = 0;  # for tenon_mex
    name;
    nq;
    nv;
    link_count;
    joint_count;
    body_count;
    depth;
    floating_base;
    total_mass;
    links;     # their names
    joints;
    warnings;  # what the reader noticed and passed over
  endproperties

  methods
    function self = Model(path, options = [], command = 'model_load')
      self.id = tenon_mex(command, path, options);
      known = tenon_mex('model_sizes', self.id);
      for field = fieldnames(known)'
        self.(field{1}) = known.(field{1});
      endfor
    endfunction

    ## It goes by "clear" or delete(robot); what was made from it stays good.
    function delete(self)
      if self.id != 0
        tenon_mex('destroy', self.id);
      endif
    endfunction

    ## The number of a link; of a joint: of its name or number.
    function number = link_number(self, link)
      number = link;
      if ischar(link)
        number = tenon_mex('find_link', self.id, link);
      endif
    endfunction

    function number = joint_number(self, joint)
      number = joint;
      if ischar(joint)
        number = tenon_mex('find_joint', self.id, joint);
      endif
    endfunction

    ## What is known of a link; of a joint. 0: none.
    function known = link(self, link)
      known = tenon_mex('link', self.id, self.link_number(link));
    endfunction

    function known = joint(self, joint)
      known = tenon_mex('joint', self.id, self.joint_number(joint));
    endfunction

    ## The tree as indented text, a line for each body.
    function text = describe(self)
      text = tenon_mex('describe', self.id);
    endfunction
  endmethods

  methods (Static)
    ## From URDF text.
    function robot = parse(urdf, options = [])
      robot = tenon.Model(urdf, options, 'model_parse');
    endfunction
  endmethods
endclassdef
