package tenon;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import tenon.raw.Tenon;

/** A robot: immutable, and any number of threads may read it. */
public final class Model extends Handle {
  public final String name;
  public final int nq;
  public final int nv;
  public final int linkCount;
  public final int jointCount;
  public final int bodyCount;
  public final int depth;
  public final boolean floatingBase;
  public final double totalMass;

  /** Takes over a model that calls of LIB made. */
  public Model(Pointer model) {
    super(model, LIB::tenon_model_destroy);
    name = LIB.tenon_model_name(model);
    nq = LIB.tenon_model_nq(model);
    nv = LIB.tenon_model_nv(model);
    linkCount = LIB.tenon_model_link_count(model);
    jointCount = LIB.tenon_model_joint_count(model);
    bodyCount = LIB.tenon_model_body_count(model);
    depth = LIB.tenon_model_depth(model);
    floatingBase = LIB.tenon_model_floating_base(model) == 1;
    totalMass = LIB.tenon_model_total_mass(model);
  }

  public static Model load(String path) {
    return load(path, null);
  }

  /** A model from a URDF file. options: of Options.model(), or null. */
  public static Model load(String path, Tenon.tenon_model_options options) {
    PointerByReference out = new PointerByReference();
    call(options, (text, size) -> LIB.tenon_model_load_urdf(path, options, out, text, size));
    return new Model(out.getValue());
  }

  public static Model parse(String urdf) {
    return parse(urdf, null);
  }

  /** A model from URDF text. */
  public static Model parse(String urdf, Tenon.tenon_model_options options) {
    PointerByReference out = new PointerByReference();
    byte[] bytes = urdf.getBytes(StandardCharsets.UTF_8);
    call(options, (text, size) -> LIB.tenon_model_parse_urdf(bytes, bytes.length, options, out, text, size));
    return new Model(out.getValue());
  }

  private List<String> names(int count, IntFunction<String> of) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(of.apply(i));
    }
    Reference.reachabilityFence(this);
    return all;
  }

  public List<String> links() {
    return names(linkCount, i -> LIB.tenon_model_link_name(pointer(), i));
  }

  /** Names of the moving joints, depth first. */
  public List<String> joints() {
    return names(jointCount, i -> LIB.tenon_model_joint_name(pointer(), i));
  }

  /** What the reader noticed and passed over. */
  public List<String> warnings() {
    return names(LIB.tenon_model_warning_count(pointer()), i -> LIB.tenon_model_warning(pointer(), i));
  }

  public int linkIndex(String link) {
    IntByReference index = new IntByReference(-1);
    call(this, (text, size) -> LIB.tenon_model_find_link(pointer(), link, index, text, size));
    return index.getValue();
  }

  public int jointIndex(String joint) {
    IntByReference index = new IntByReference(-1);
    call(this, (text, size) -> LIB.tenon_model_find_joint(pointer(), joint, index, text, size));
    return index.getValue();
  }

  /** What is known of a link. */
  public Tenon.tenon_link_info link(int link) {
    Tenon.tenon_link_info info = new Tenon.tenon_link_info();
    check(LIB.tenon_link_info_init(info, info.size()), "info");
    check(LIB.tenon_model_link_info(pointer(), link, info), "no link number " + link);
    Reference.reachabilityFence(this);
    return info;
  }

  /** What is known of a joint. */
  public Tenon.tenon_joint_info joint(int joint) {
    Tenon.tenon_joint_info info = new Tenon.tenon_joint_info();
    check(LIB.tenon_joint_info_init(info, info.size()), "info");
    check(LIB.tenon_model_joint_info(pointer(), joint, info), "no joint number " + joint);
    Reference.reachabilityFence(this);
    return info;
  }

  /** The tree as indented text. */
  public String describe() {
    LongByReference needed = new LongByReference();
    check(LIB.tenon_model_describe(pointer(), null, 0, needed), "describe");
    byte[] text = new byte[(int) needed.getValue()];
    check(LIB.tenon_model_describe(pointer(), text, text.length, null), "describe");
    Reference.reachabilityFence(this);
    return Native.toString(text, StandardCharsets.UTF_8);
  }
}
