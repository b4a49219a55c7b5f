// What .NET has and Mono has not, as far as the classes of C# use it: with it the part of them for .NET compiles here.
namespace System.Runtime.InteropServices {
  public delegate IntPtr DllImportResolver(string name, System.Reflection.Assembly assembly, DllImportSearchPath? search);

  public static class NativeLibrary {
    public static void SetDllImportResolver(System.Reflection.Assembly assembly, DllImportResolver resolver) {
      Console.WriteLine("resolver: " + resolver("tenon", assembly, null));
    }

    public static IntPtr Load(string path) {
      return path.EndsWith("libtenon.so") ? (IntPtr)1 : IntPtr.Zero;
    }
  }
}
