"""Java: JNA, one interface for the functions, a Structure for each struct. size_t is a long: all machines are 64-bit."""

from .common import MARK, Types, comment, constants, listed

SCALARS = {
    "int32_t": "int",
    "uint32_t": "int",
    "int64_t": "long",
    "uint64_t": "long",
    "size_t": "long",
    "ptrdiff_t": "long",
    "double": "double",
    "tenon_status": "int",
    "void": "void",
}
HEAD = """package tenon.raw;

import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.ptr.DoubleByReference;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.Collections;

/** The C interface of Tenon for JNA, by the names of tenon.h, which is its manual. */
public interface Tenon extends Library {
  /** The library of a name, or at a path. */
  static Tenon load(String name) {
    return Native.load(name, Tenon.class, Collections.singletonMap(OPTION_STRING_ENCODING, "UTF-8"));
  }
"""
STRUCT = """  /** A struct whose layout can be asked for. */
  abstract class Struct extends Structure {
    public int offset(String field) {
      return fieldOffset(field);
    }
  }
"""
REFERENCES = {"int": "IntByReference", "long": "LongByReference", "double": "DoubleByReference"}


def argument_type(a):
    kind = a["kind"]
    if kind == "new_object":
        return "PointerByReference"
    if kind in ("struct", "batch_array", "callback"):
        return a["base"]
    if kind in ("message", "text_buffer"):
        return "byte[]"
    if kind == "text":
        return "byte[]" if "count" in a else "String"
    if kind == "texts":
        return "String[]"
    if kind == "result":
        return REFERENCES[SCALARS[a["base"]]]
    if kind == "array":
        return SCALARS[a["base"]] + "[]"
    return "Pointer" if a["pointers"] else SCALARS[a["base"]]


def plain_type(t, types):
    """Of a field, and of a callback's argument."""
    if t["base"] in types.callbacks and not t["pointers"]:
        return t["base"]
    return "Pointer" if t["pointers"] else SCALARS[t["base"]]


def files(api):
    types = Types(api)
    out = [f"// {MARK}", HEAD]
    for text, _, values in constants(api):
        if text:
            out += [comment(text, "  // ")]
        out += [f"  int {v['name']} = {v['value']};" for v in values] + [""]
    for c in api["callbacks"]:
        arguments = [f"{plain_type(a, types)} {a['name']}" for a in c["arguments"]]
        out += [comment(c["comment"], "  /** ", "   * ", " */"), f"  interface {c['name']} extends Callback {{"]
        out += [listed(arguments, f"    {SCALARS[c['result']['base']]} invoke(", ");", "        "), "  }", ""]
    out += [STRUCT]
    for s in api["structs"]:
        names = listed([f'"{f["name"]}"' for f in s["fields"]], "  @Structure.FieldOrder({", "})", "      ")
        out += [comment(s["comment"].split("\n")[0], "  /** ", "   * ", " */"), names]
        out += [f"  class {s['name']} extends Struct {{"]
        for f in s["fields"]:
            kind = plain_type(f, types)
            array = f"[] {f['name']} = new {kind}[{f['extent']}];" if "extent" in f else f" {f['name']};"
            out += [f"    public {kind}{array}"]
        out += ["  }", ""]
    out += ["  /** All structs. */", "  static Struct[] structs() {", "    return new Struct[] {"]
    out += [f"      new {s['name']}()," for s in api["structs"]] + ["    };", "  }"]
    for f in api["functions"]:
        arguments = [f"{argument_type(a)} {a['name']}" for a in f["arguments"]]
        result = "String" if f["result"]["base"] == "char" else SCALARS[f["result"]["base"]]
        out += ["", comment(f["brief"], "  /** ", "   * ", " */")]
        out += [listed(arguments, f"  {result} {f['name']}(", ");", "      ")]
    return {"java/src/main/java/tenon/raw/Tenon.java": "\n".join([*out, "}", ""])}
