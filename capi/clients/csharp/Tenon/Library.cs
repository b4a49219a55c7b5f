using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Raw = TenonRaw.Tenon;

namespace Tenon {
  /// <summary>The library that is loaded: the one that Load names, or the environment variable TENON_LIBRARY, or the one
  /// that came with the package, or the one that the system finds as tenon.</summary>
  public static unsafe partial class Library {
    private static readonly object Gate = new object();
    private static volatile bool ready;
    private static IntPtr handle;

    /// <summary>Takes the library at a path. To be called before all else: a process loads one.</summary>
    public static void Load(string path) {
      if (string.IsNullOrEmpty(path)) throw new ArgumentException("the path of the library is needed", nameof(path));
      lock (Gate) {
        if (ready) throw new InvalidOperationException("a library is loaded already: call Library.Load before all else");
        Use(path, path + " cannot be loaded: ");
      }
    }

    /// <summary>Before the first call: the library is there, and it is that of these declarations.</summary>
    internal static void Ready() {
      if (ready) return;
      lock (Gate) {
        if (ready) return;
        string variable = Environment.GetEnvironmentVariable("TENON_LIBRARY"), shipped = Shipped();
        if (!string.IsNullOrEmpty(variable)) {
          Use(variable, "TENON_LIBRARY names " + variable + ", which cannot be loaded: ");
        } else if (shipped != null) {
          Use(shipped, shipped + " cannot be loaded: ");
        } else {
          string known = string.Join(", ", Platforms());
          Use(null, "there is no library for " + Platform + ": the package brings " +
              (known.Length == 0 ? "none" : "libraries for " + known) + ", and the system has none. Build or install Tenon for " +
              Platform + ", and set TENON_LIBRARY to the path of the library: ");
        }
      }
    }

    private static void Use(string path, string message) {
      int version;
      try {
        if (path != null) Redirect(path);
        version = First();
      } catch (DllNotFoundException error) {
        throw new DllNotFoundException(message + error.Message, error);
      }
      if (version / 100 != Raw.TENON_VERSION / 100) {
        throw new DllNotFoundException("the library is Tenon " + VersionNow() +
            ", of another version than these declarations, " + Raw.TENON_VERSION);
      }
      ready = true;
    }

    // Of its own: where Mono compiles a method, it looks for the library of the calls in it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int First() {
      return Raw.tenon_version();
    }

    // ---- the library of the package: runtimes/<platform>/native, as NuGet unpacks it, beside the program or this assembly

    /// <summary>This system, as NuGet calls it: linux-x64.</summary>
    public static string Platform {
      get {
        string system = RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? "win"
            : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? "osx"
            : "linux";
        return system + "-" + RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant();
      }
    }

    private static List<string> Folders() {
      List<string> folders = new List<string> { AppContext.BaseDirectory };
      string assembly = Path.GetDirectoryName(typeof(Library).Assembly.Location);
      if (!string.IsNullOrEmpty(assembly)) {
        folders.AddRange(new[] { assembly, Path.Combine(assembly, ".."), Path.Combine(assembly, "..", "..") });
      }
      return folders.ConvertAll(folder => Path.Combine(folder, "runtimes")).FindAll(Directory.Exists);
    }

    private static List<string> Platforms() {
      List<string> platforms = new List<string>();
      foreach (string folder in Folders()) {
        foreach (string path in Directory.GetDirectories(folder)) {
          if (!platforms.Contains(Path.GetFileName(path))) platforms.Add(Path.GetFileName(path));
        }
      }
      platforms.Sort(StringComparer.Ordinal);
      return platforms;
    }

    private static string Shipped() {
      string here = Platform;
      string name = here.StartsWith("win") ? "tenon.dll" : here.StartsWith("osx") ? "libtenon.dylib" : "libtenon.so";
      return Folders().ConvertAll(folder => Path.Combine(folder, here, "native", name)).Find(File.Exists);
    }

    // ---- a path in place of the name "tenon"

    [DllImport("__Internal", CharSet = CharSet.Ansi)]
    private static extern void mono_dllmap_insert(IntPtr assembly, string dll, string function, string target, string there);

    // .NET has NativeLibrary, which is no part of .NET Standard; Mono has its map of libraries.
    private static void Redirect(string path) {
      Type native = Type.GetType("System.Runtime.InteropServices.NativeLibrary");
      Type resolver = Type.GetType("System.Runtime.InteropServices.DllImportResolver");
      if (native == null || resolver == null) {
        mono_dllmap_insert(IntPtr.Zero, Raw.Library, null, path, null);
        return;
      }
      try {
        handle = (IntPtr)native.GetMethod("Load", new[] { typeof(string) }).Invoke(null, new object[] { path });
      } catch (TargetInvocationException error) when (error.InnerException != null) {
        throw new DllNotFoundException(error.InnerException.Message, error.InnerException);
      }
      MethodInfo resolve = typeof(Library).GetMethod(nameof(Resolve), BindingFlags.NonPublic | BindingFlags.Static);
      Delegate resolving = Delegate.CreateDelegate(resolver, resolve);
      native.GetMethod("SetDllImportResolver").Invoke(null, new object[] { typeof(Library).Assembly, resolving });
    }

    private static IntPtr Resolve(string name, Assembly assembly, DllImportSearchPath? search) {
      return name == Raw.Library ? handle : IntPtr.Zero;
    }

    // ---- texts

    internal static string Utf8(byte* text) {
      if (text == null) return "";
      int length = 0;
      while (text[length] != 0) length++;
      return Encoding.UTF8.GetString(text, length);
    }

    /// <summary>Ended by NUL, for a struct; null stays null.</summary>
    internal static byte[] Bytes(string text) {
      return text == null ? null : Encoding.UTF8.GetBytes(text + '\0');
    }

    internal static string TextOrNull(byte* text) => text == null ? null : Utf8(text);

    // ---- arguments and results

    /// <summary>An array without numbers is not NULL, which would be no array; nothing is read there.</summary>
    internal static void* There(void* numbers, bool none) => numbers == null && !none ? (void*)sizeof(double) : numbers;

    internal static UIntPtr LengthOf(Array array) => (UIntPtr)(array == null ? 0 : array.Length);
    internal static UIntPtr TextLength(byte[] bytes) => (UIntPtr)(bytes == null ? 0 : bytes.Length - 1);

    internal static UIntPtr Size(long size, string name) {
      if (size < 0) throw Handle.Unfit($"{name} is {size}; a whole number from 0 is needed");
      return (UIntPtr)(ulong)size;
    }

    internal static void Copy(double[] from, double* to, int count, string name) {
      if (from == null) return;
      if (from.Length != count) throw Handle.Unfit($"{name}: {from.Length} numbers; {count} are needed");
      for (int i = 0; i < count; i++) to[i] = from[i];
    }

    internal static int Number(int number, string function) {
      Check(number, function);
      return number;
    }

    internal static void Check(int status, string message) {
      if (status < 0) throw new TenonException(status, message);
    }

    internal static void Check(int status, byte* message) {
      if (status < 0) throw new TenonException(status, Utf8(message));
    }
  }
}
