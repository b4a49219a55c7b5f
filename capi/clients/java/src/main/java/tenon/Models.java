package tenon;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.stream.Stream;

/**
 * The robots that come with Tenon, inside the jar: tenon/models. LICENSES.md there has the notices of the projects whose
 * figures they are made of.
 */
public final class Models {
  private Models() {}

  public static Model load(String name) {
    return load(name, null);
  }

  /** A robot by its name: Models.load("atlas", ModelOptions.floating()). */
  public static Model load(String name, ModelOptions options) {
    return Model.parse(urdf(name), options);
  }

  /** Its URDF. */
  public static String urdf(String name) {
    try (InputStream stream = Models.class.getResourceAsStream("models/" + name + ".urdf")) {
      if (stream == null) {
        throw new IllegalArgumentException("there is no model '" + name + "'; there are: " + String.join(", ", names()));
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Of all models, as load takes them; none in classes that were compiled without the models. */
  public static List<String> names() {
    URL known = Models.class.getResource("models/LICENSES.md");
    if (known == null) {
      return List.of();
    }
    try {
      Stream<String> files = known.openConnection() instanceof JarURLConnection jar
          ? jar.getJarFile().stream().map(JarEntry::getName).filter(name -> name.startsWith("tenon/models/"))
          : Stream.of(Path.of(known.toURI()).getParent().toFile().list());
      return files.filter(name -> name.endsWith(".urdf"))
          .map(name -> name.substring(name.lastIndexOf('/') + 1, name.length() - 5))
          .sorted()
          .toList();
    } catch (IOException | URISyntaxException error) {
      throw new IllegalStateException(error);
    }
  }
}
