"""C#: P/Invoke with pointers, so that arrays, spans and stackalloc all do."""

from .common import MARK, Types, comment, constants, listed

SCALARS = {
    "int32_t": "int",
    "uint32_t": "uint",
    "int64_t": "long",
    "uint64_t": "ulong",
    "size_t": "UIntPtr",
    "ptrdiff_t": "IntPtr",
    "double": "double",
    "char": "byte",
    "void": "void",
    "tenon_status": "int",
}
KEYWORDS = {"in", "out", "base", "params", "ref", "lock"}


def name_of(name):
    return "@" + name if name in KEYWORDS else name


def type_of(t, types, argument=False):
    if t["base"] in types.callbacks:
        return t["base"] if argument else "IntPtr"
    if t.get("kind") == "text" and "count" not in t:
        return "[MarshalAs(UnmanagedType.LPUTF8Str)] string"
    return SCALARS.get(t["base"], t["base"]) + "*" * t["pointers"]


def summary(text, indent):
    return comment(text.replace("<", "&lt;"), indent + "/// ")


def files(api):
    types = Types(api)
    out = [f"// {MARK}", "using System;", "using System.Runtime.InteropServices;", "", "namespace TenonRaw {"]
    for h in api["handles"]:
        out += [summary(h["comment"].split("\n")[0], "  "), f"  public struct {h['name']} {{ }}", ""]
    for c in api["callbacks"]:
        arguments = ", ".join(f"{type_of(a, types)} {a['name']}" for a in c["arguments"])
        out += ["  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]"]
        out += [f"  public unsafe delegate {SCALARS[c['result']['base']]} {c['name']}({arguments});", ""]
    for s in api["structs"]:
        out += [summary(s["comment"].split("\n")[0], "  "), "  [StructLayout(LayoutKind.Sequential)]"]
        out += [f"  public unsafe struct {s['name']} {{"]
        for f in s["fields"]:
            fixed, extent = ("fixed ", f"[{f['extent']}]") if "extent" in f else ("", "")
            out += [f"    public {fixed}{type_of(f, types)} {name_of(f['name'])}{extent};"]
        out += ["  }", ""]
    out += ["  /// The C interface of Tenon, by the names of tenon.h, which is its manual."]
    out += ["  public static unsafe class Tenon {", '    public const string Library = "tenon";', ""]
    for text, type_, values in constants(api):
        if text:
            out += [comment(text, "    // ")]
        out += [f"    public const {SCALARS[type_]} {v['name']} = {v['value']};" for v in values] + [""]
    out += ["    /// All structs.", "    public static readonly Type[] Structs = {"]
    out += [f"      typeof({s['name']})," for s in api["structs"]] + ["    };"]
    for f in api["functions"]:
        arguments = [f"{type_of(a, types, True)} {name_of(a['name'])}" for a in f["arguments"]]
        before = f"    public static extern {type_of(f['result'], types)} {f['name']}("
        out += [
            "",
            summary(f["brief"], "    "),
            "    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]",
        ]
        out += [listed(arguments, before, ");", "        ")]
    return {"csharp/Tenon.Raw/Tenon.cs": "\n".join([*out, "  }", "}", ""])}
