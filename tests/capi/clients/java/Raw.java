import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tenon.raw.Tenon;

/** The raw layer of Java does and prints what c/raw.c does: Raw libtenon.so atlas.urdf. */
public class Raw {
  static byte[] message = new byte[512];
  static Tenon tenon;

  static void check(int status, String why) {
    if (status < 0) {
      throw new RuntimeException(tenon.tenon_status_string(status) + ": " + why);
    }
  }

  static String text() {
    return Native.toString(message, StandardCharsets.UTF_8);
  }

  static String bits(double x) {
    return String.format("%016x", Double.doubleToRawLongBits(x));
  }

  public static void main(String[] arguments) {
    tenon = Tenon.load(arguments[0]);
    for (Tenon.Struct struct : Tenon.structs()) {
      StringBuilder line = new StringBuilder(struct.getClass().getSimpleName() + " " + struct.size());
      for (String field : struct.getClass().getAnnotation(com.sun.jna.Structure.FieldOrder.class).value()) {
        line.append(" ").append(struct.offset(field));
      }
      System.out.println(line);
    }
    System.out.println("version " + tenon.tenon_version() + " " + tenon.tenon_version_string());
    System.out.println(tenon.tenon_build_info());

    Tenon.tenon_model_options options = new Tenon.tenon_model_options();
    PointerByReference out = new PointerByReference();
    check(tenon.tenon_model_options_init(options, options.size()), "options");
    options.base = Tenon.TENON_BASE_FLOATING;
    check(tenon.tenon_model_load_urdf(arguments[1], options, out, message, message.length), text());
    Pointer model = out.getValue();
    int nq = tenon.tenon_model_nq(model);
    int nv = tenon.tenon_model_nv(model);
    System.out.println(tenon.tenon_model_name(model) + ": " + nq + " positions, " + nv + " velocities");

    IntByReference index = new IntByReference(-1);
    Tenon.tenon_joint_info info = new Tenon.tenon_joint_info();
    check(tenon.tenon_model_find_joint(model, "l_leg_kny", index, message, message.length), text());
    check(tenon.tenon_joint_info_init(info, info.size()), "info");
    check(tenon.tenon_model_joint_info(model, index.getValue(), info), "info");
    System.out.println(info.name.getString(0, "UTF-8") + " " + index.getValue() + ": upper " + bits(info.upper)
        + ", origin z " + bits(info.origin[2]));
    int status = tenon.tenon_model_find_link(model, "nowhere", index, message, message.length);
    System.out.println(tenon.tenon_status_string(status) + ": " + text());

    check(tenon.tenon_workspace_create(model, null, null, out, message, message.length), text());
    Pointer workspace = out.getValue();
    double[] q = new double[nq], v = new double[nv], tau = new double[nv], qdd = new double[nv];
    Arrays.setAll(v, i -> 0.01 * i);
    Arrays.setAll(tau, i -> 10.0 - 0.5 * i);
    check(tenon.tenon_random(workspace, 7, q, nq), tenon.tenon_workspace_message(workspace));
    status = tenon.tenon_forward_dynamics(workspace, q, nq, v, nv, tau, nv, null, 0, qdd, nv);
    check(status, tenon.tenon_workspace_message(workspace));
    for (int i = 0; i < nv; i++) {
      System.out.println("qdd[" + i + "] = " + bits(qdd[i]));
    }
    tenon.tenon_workspace_destroy(workspace);
    tenon.tenon_model_destroy(model);
  }
}
