using System;
using System.Collections.Generic;
using System.Text;
using TenonRaw;
using Raw = TenonRaw.Tenon;

namespace Tenon {
  /// <summary>A robot: immutable, and any number of threads may read it.</summary>
  public sealed unsafe class Model : Handle {
    public string Name { get; }
    public int Nq { get; }
    public int Nv { get; }
    public int LinkCount { get; }
    public int JointCount { get; }
    public int BodyCount { get; }
    public int Depth { get; }
    public bool FloatingBase { get; }
    public double TotalMass { get; }

    /// <summary>Names of the links, and of the moving joints, depth first.</summary>
    public IReadOnlyList<string> Links { get; }
    public IReadOnlyList<string> Joints { get; }

    /// <summary>What the reader noticed and passed over.</summary>
    public IReadOnlyList<string> Warnings { get; }

    /// <summary>Takes over a model that calls of TenonRaw made.</summary>
    public Model(IntPtr model) : base(model) {
      tenon_model* p = (tenon_model*)model;
      Name = Library.Utf8(Raw.tenon_model_name(p));
      Nq = Raw.tenon_model_nq(p);
      Nv = Raw.tenon_model_nv(p);
      LinkCount = Raw.tenon_model_link_count(p);
      JointCount = Raw.tenon_model_joint_count(p);
      BodyCount = Raw.tenon_model_body_count(p);
      Depth = Raw.tenon_model_depth(p);
      FloatingBase = Raw.tenon_model_floating_base(p) == 1;
      TotalMass = Raw.tenon_model_total_mass(p);
      Links = Names(LinkCount, i => Library.Utf8(Raw.tenon_model_link_name(p, i)));
      Joints = Names(JointCount, i => Library.Utf8(Raw.tenon_model_joint_name(p, i)));
      Warnings = Names(Raw.tenon_model_warning_count(p), i => Library.Utf8(Raw.tenon_model_warning(p, i)));
    }

    protected override bool ReleaseHandle() {
      Raw.tenon_model_destroy((tenon_model*)handle);
      return true;
    }

    /// <summary>A model from a URDF file.</summary>
    public static Model Load(string path, ModelOptions options = null) {
      Given(path, nameof(path));
      return From(options, (chosen, made, message, size) =>
          Raw.tenon_model_load_urdf(path, chosen, made, message, size));
    }

    /// <summary>A model from URDF text.</summary>
    public static Model Parse(string urdf, ModelOptions options = null) {
      byte[] bytes = Encoding.UTF8.GetBytes(Given(urdf, nameof(urdf)) + '\0');
      return From(options, (chosen, made, message, size) => {
        fixed (byte* text = bytes) {
          return Raw.tenon_model_parse_urdf(text, (UIntPtr)(bytes.Length - 1), chosen, made, message, size);
        }
      });
    }

    private delegate int Reader(tenon_model_options* options, tenon_model** made, byte* message, UIntPtr size);

    private static Model From(ModelOptions options, Reader read) {
      byte[] joint = Library.Bytes(options?.FloatingJointName);
      return new Model(Made((made, message, size) => {
        fixed (byte* name = joint) {
          tenon_model_options chosen;
          Library.Check(Raw.tenon_model_options_init(&chosen, (UIntPtr)sizeof(tenon_model_options)), "options");
          if (options != null) {
            chosen.@base = (int?)options.Base ?? chosen.@base;
            if (name != null) chosen.floating_joint_name = name;
            if (options.Gravity != null) {
              Fits(options.Gravity, 3, "Gravity");
              for (int i = 0; i < 3; i++) chosen.gravity[i] = options.Gravity[i];
            }
            if (options.IgnoreLoops is bool loops) chosen.ignore_loops = loops ? 1 : 0;
            if (options.IgnoreMimic is bool mimic) chosen.ignore_mimic = mimic ? 1 : 0;
            if (options.TolerantInertias is bool tolerant) chosen.tolerant_inertias = tolerant ? 1 : 0;
          }
          return read(&chosen, (tenon_model**)made, message, size);
        }
      }));
    }

    private static List<string> Names(int count, Func<int, string> of) {
      List<string> all = new List<string>();
      for (int i = 0; i < count; i++) all.Add(of(i));
      return all;
    }

    public int LinkIndex(string link) {
      return Find(Given(link, nameof(link)), Raw.tenon_model_find_link);
    }

    public int JointIndex(string joint) {
      return Find(Given(joint, nameof(joint)), Raw.tenon_model_find_joint);
    }

    private delegate int Search(tenon_model* model, string name, int* index, byte* message, UIntPtr size);

    private int Find(string name, Search search) {
      int index = -1;
      using (Hold self = new Hold(this)) {
        tenon_model* p = (tenon_model*)self.Pointer;
        Ask((message, size) => {
          int found = -1;
          int status = search(p, name, &found, message, size);
          index = found;
          return status;
        });
      }
      return index;
    }

    public LinkInfo Link(int link) {
      tenon_link_info info;
      using (Hold self = new Hold(this)) {
        Library.Check(Raw.tenon_link_info_init(&info, (UIntPtr)sizeof(tenon_link_info)), "info");
        int status = Raw.tenon_model_link_info((tenon_model*)self.Pointer, link, &info);
        Library.Check(status, "there is no link " + link + ", only 0 to " + (LinkCount - 1));
        return new LinkInfo {
          Name = Library.Utf8(info.name), ParentLink = info.parent_link, Joint = info.joint, Body = info.body,
          IsFrame = info.is_frame == 1, Mass = info.mass, CenterOfMass = Copy(info.center_of_mass, 3),
          Inertia = Copy(info.inertia, 6),
        };
      }
    }

    public LinkInfo Link(string link) {
      return Link(LinkIndex(link));
    }

    public JointInfo Joint(int joint) {
      tenon_joint_info info;
      using (Hold self = new Hold(this)) {
        Library.Check(Raw.tenon_joint_info_init(&info, (UIntPtr)sizeof(tenon_joint_info)), "info");
        int status = Raw.tenon_model_joint_info((tenon_model*)self.Pointer, joint, &info);
        Library.Check(status, "there is no joint " + joint + ", only 0 to " + (JointCount - 1));
        return new JointInfo {
          Name = Library.Utf8(info.name), Type = (JointType)info.type, ParentLink = info.parent_link,
          ChildLink = info.child_link, QIndex = info.q_index, Nq = info.nq, VIndex = info.v_index, Nv = info.nv,
          Axis = Copy(info.axis, 3), Lower = info.lower, Upper = info.upper, Velocity = info.velocity,
          Effort = info.effort, Armature = info.armature, Origin = Copy(info.origin, 7),
          Pitch = info.pitch,
        };
      }
    }

    public JointInfo Joint(string joint) {
      return Joint(JointIndex(joint));
    }

    private static double[] Copy(double* numbers, int count) {
      return new ReadOnlySpan<double>(numbers, count).ToArray();
    }

    /// <summary>The tree as indented text, a line for each body.</summary>
    public string Describe() {
      using (Hold self = new Hold(this)) {
        tenon_model* p = (tenon_model*)self.Pointer;
        UIntPtr needed;
        Library.Check(Raw.tenon_model_describe(p, null, UIntPtr.Zero, &needed), "describe");
        byte[] bytes = new byte[(int)needed];
        fixed (byte* text = bytes) Library.Check(Raw.tenon_model_describe(p, text, needed, null), "describe");
        return Encoding.UTF8.GetString(bytes, 0, bytes.Length - 1);
      }
    }
  }
}
