// The raw layer of C# does and prints what c/raw.c does: Raw.exe atlas.urdf.
using System;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using TenonRaw;

public static unsafe class Raw {
  static string Text(byte* text) {
    int length = 0;
    while (text[length] != 0) length++;
    return Encoding.UTF8.GetString(text, length);
  }

  static void Check(int status, byte* why) {
    if (status < 0) throw new Exception(Text(Tenon.tenon_status_string(status)) + ": " + Text(why));
  }

  static string Bits(double x) {
    return BitConverter.DoubleToInt64Bits(x).ToString("x16");
  }

  public static void Main(string[] arguments) {
    foreach (Type type in Tenon.Structs) {
      Console.Write(type.Name + " " + Marshal.SizeOf(type));
      foreach (FieldInfo field in type.GetFields(BindingFlags.Instance | BindingFlags.Public)) {
        Console.Write(" " + Marshal.OffsetOf(type, field.Name));
      }
      Console.WriteLine();
    }
    Console.WriteLine("version " + Tenon.tenon_version() + " " + Text(Tenon.tenon_version_string()));
    Console.WriteLine(Text(Tenon.tenon_build_info()));

    byte* message = stackalloc byte[512];
    UIntPtr size = (UIntPtr)512;
    tenon_model_options options;
    tenon_model* model;
    Check(Tenon.tenon_model_options_init(&options, (UIntPtr)sizeof(tenon_model_options)), message);
    options.@base = Tenon.TENON_BASE_FLOATING;
    Check(Tenon.tenon_model_load_urdf(arguments[0], &options, &model, message, size), message);
    int nq = Tenon.tenon_model_nq(model), nv = Tenon.tenon_model_nv(model);
    Console.WriteLine(Text(Tenon.tenon_model_name(model)) + ": " + nq + " positions, " + nv + " velocities");

    int index = -1;
    tenon_joint_info info;
    Check(Tenon.tenon_model_find_joint(model, "l_leg_kny", &index, message, size), message);
    Check(Tenon.tenon_joint_info_init(&info, (UIntPtr)sizeof(tenon_joint_info)), message);
    Check(Tenon.tenon_model_joint_info(model, index, &info), message);
    Console.WriteLine(Text(info.name) + " " + index + ": upper " + Bits(info.upper) + ", origin z " + Bits(info.origin[2]));
    int status = Tenon.tenon_model_find_link(model, "nowhere", &index, message, size);
    Console.WriteLine(Text(Tenon.tenon_status_string(status)) + ": " + Text(message));

    tenon_workspace* workspace;
    Check(Tenon.tenon_workspace_create(model, null, null, &workspace, message, size), message);
    double[] q = new double[nq], v = new double[nv], tau = new double[nv], qdd = new double[nv];
    for (int i = 0; i < nv; i++) {
      v[i] = 0.01 * i;
      tau[i] = 10.0 - 0.5 * i;
    }
    fixed (double* pq = q, pv = v, ptau = tau, pqdd = qdd) {
      UIntPtr nQ = (UIntPtr)nq, nV = (UIntPtr)nv;
      Check(Tenon.tenon_random(workspace, 7, pq, nQ), Tenon.tenon_workspace_message(workspace));
      status = Tenon.tenon_forward_dynamics(workspace, pq, nQ, pv, nV, ptau, nV, null, UIntPtr.Zero, pqdd, nV);
      Check(status, Tenon.tenon_workspace_message(workspace));
    }
    for (int i = 0; i < nv; i++) Console.WriteLine("qdd[" + i + "] = " + Bits(qdd[i]));
    Tenon.tenon_workspace_destroy(workspace);
    Tenon.tenon_model_destroy(model);
  }
}
