using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace Tenon {
  /// <summary>The robots that come with Tenon, inside the assembly. LICENSES.md among them has the notices of the projects
  /// whose figures they are made of.</summary>
  public static class Models {
    private const string Prefix = "tenon.models.", Ending = ".urdf";

    /// <summary>Of all models, as Load takes them; none in an assembly that was compiled without them.</summary>
    public static IReadOnlyList<string> Names {
      get {
        string[] all = Array.FindAll(typeof(Models).Assembly.GetManifestResourceNames(),
            name => name.StartsWith(Prefix, StringComparison.Ordinal) && name.EndsWith(Ending, StringComparison.Ordinal));
        Array.Sort(all, StringComparer.Ordinal);
        return Array.ConvertAll(all, name => name.Substring(Prefix.Length, name.Length - Prefix.Length - Ending.Length));
      }
    }

    /// <summary>A robot by its name: Models.Load("atlas", ModelOptions.Floating).</summary>
    public static Model Load(string name, ModelOptions options = null) {
      return Model.Parse(Urdf(name), options);
    }

    /// <summary>Its URDF.</summary>
    public static string Urdf(string name) {
      return Text(name + Ending) ??
          throw new ArgumentException($"there is no model '{name}'; there are: {string.Join(", ", Names)}", nameof(name));
    }

    /// <summary>The notices that go with the models; null in an assembly that was compiled without them.</summary>
    public static string Licenses => Text("LICENSES.md");

    private static string Text(string file) {
      using (Stream stream = typeof(Models).Assembly.GetManifestResourceStream(Prefix + file)) {
        if (stream == null) return null;
        using (StreamReader reader = new StreamReader(stream, Encoding.UTF8)) return reader.ReadToEnd();
      }
    }
  }
}
