package tenon;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import tenon.raw.Tenon;

/** Which library is loaded: the one that is named, the one that came with this package, or the system's. */
final class Loader {
  // As JNA calls the systems for which packages may bring one, in a folder of this name.
  private static final String[] PLATFORMS = {
    "linux-x86-64", "linux-aarch64", "win32-x86-64", "darwin-aarch64", "darwin-x86-64"
  };

  private Loader() {}

  static Tenon load() {
    Tenon library = find();
    if (library.tenon_version() / 100 != Tenon.TENON_VERSION / 100) {
      throw new UnsatisfiedLinkError("the library is Tenon " + library.tenon_version_string() + ", of another version");
    }
    return library;
  }

  private static Tenon find() {
    String property = System.getProperty("tenon.library", "");
    if (!property.isEmpty()) {
      return open(property, "the property tenon.library names " + property + ", which cannot be loaded: ");
    }
    String variable = System.getenv("TENON_LIBRARY");
    if (variable != null && !variable.isEmpty()) {
      return open(variable, "TENON_LIBRARY names " + variable + ", which cannot be loaded: ");
    }
    String here = Platform.RESOURCE_PREFIX;
    if (brings(here)) {
      return open(shipped(), "the library of this package for " + here + " cannot be loaded: ");
    }
    String brought = Arrays.stream(PLATFORMS).filter(Loader::brings).collect(Collectors.joining(", "));
    return open("tenon", "there is no library for " + here + ": this package brings "
        + (brought.isEmpty() ? "none" : "libraries for " + brought) + ", and the system has none. Build or install Tenon for "
        + here + ", and set TENON_LIBRARY to the path of the library; JNA says: ");
  }

  private static boolean brings(String platform) {
    String name = platform.startsWith("win32") ? "tenon.dll" : platform.startsWith("darwin") ? "libtenon.dylib" : "libtenon.so";
    return Loader.class.getClassLoader().getResource(platform + "/" + name) != null;
  }

  // JNA copies it out of the jar.
  private static String shipped() {
    try {
      return Native.extractFromResourcePath("tenon", Loader.class.getClassLoader()).getPath();
    } catch (IOException error) {
      throw failed("the library of this package cannot be copied to " + System.getProperty("java.io.tmpdir") + ": ", error);
    }
  }

  private static Tenon open(String path, String message) {
    try {
      return Tenon.load(path);
    } catch (UnsatisfiedLinkError error) {
      throw failed(message, error);
    }
  }

  private static UnsatisfiedLinkError failed(String message, Throwable cause) {
    UnsatisfiedLinkError error = new UnsatisfiedLinkError(message + cause.getMessage());
    error.initCause(cause);
    return error;
  }
}
