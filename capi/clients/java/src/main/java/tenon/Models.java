package tenon;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
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

  /** A robot by its name: Models.load("atlas", Options.floating()). */
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
      URI uri = known.toURI();
      if (!"jar".equals(uri.getScheme())) {
        return names(Path.of(uri));
      }
      Path jar = Path.of(URI.create(uri.getRawSchemeSpecificPart().replaceFirst("!/.*", "")));
      try (FileSystem inside = FileSystems.newFileSystem(jar, Map.of())) {
        return names(inside.getPath("/tenon/models/LICENSES.md"));
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (URISyntaxException error) {
      throw new IllegalStateException(error);
    }
  }

  private static List<String> names(Path known) throws IOException {
    try (Stream<Path> files = Files.list(known.getParent())) {
      return files.map(path -> path.getFileName().toString())
          .filter(name -> name.endsWith(".urdf"))
          .map(name -> name.substring(0, name.length() - 5))
          .sorted()
          .collect(Collectors.toList());
    }
  }
}
