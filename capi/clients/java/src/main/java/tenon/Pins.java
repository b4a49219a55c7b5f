package tenon;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import tenon.raw.Tenon;

/** What options point at, until a call is over. */
final class Pins {
  private final List<Object> held = new ArrayList<>();
  private final List<Runnable> written = new ArrayList<>();
  private RuntimeException thrown;

  private <T> T hold(T one) {
    held.add(one);
    return one;
  }

  Pointer text(String text) {
    if (text == null) {
      return null;
    }
    byte[] bytes = (text + '\0').getBytes(StandardCharsets.UTF_8);
    Memory memory = hold(new Memory(bytes.length));
    memory.write(0, bytes, 0, bytes.length);
    return memory;
  }

  Pointer numbers(double[] numbers) {
    return numbers == null || numbers.length == 0 ? null : hold(BatchArray.of(numbers).memory());
  }

  Pointer struct(Structure raw) {
    hold(raw).write();
    return raw.getPointer();
  }

  Tenon.tenon_log_callback log(BiConsumer<LogLevel, String> log) {
    return log == null ? null : this.<Tenon.tenon_log_callback>hold((user, level, message) -> {
      try {
        log.accept(LogLevel.of(level), message.getString(0, "UTF-8"));
      } catch (RuntimeException error) { // it must not reach the library
        thrown = error;
      }
    });
  }

  /** What the library is told of an array; null where there is none. */
  Tenon.tenon_batch_array array(String name, BatchArray given, Batch batch, long count, long states, long records,
      boolean output) {
    if (given == null) {
      return null;
    }
    if (given.item != batch.item()) {
      throw new IllegalArgumentException(name + ": numbers of the precision of the batch are needed");
    }
    long all = Layout.product(states, records, count);
    BatchArray told = given;
    if (!given.view) {
      boolean one = given.size == count && !output;
      if (!one && given.size != all && (output || given.size != Layout.product(states, 1, count))) {
        throw Handle.unfit(name + ": " + given.size + " numbers; " + states * records + " times " + count + " are needed");
      }
      long each = given.size == all ? records * count : count;
      told = given.view(0, count, 1, one ? 0 : each, !one && given.size == all && records > 1 ? count : 0);
    }
    Pointer memory = hold(given.memory());
    if (output && memory != null) {
      written.add(() -> given.read(memory));
    }
    return hold(Layout.tell(told, memory));
  }

  /** After the call. */
  void close() {
    written.forEach(Runnable::run);
    if (thrown != null) {
      throw thrown;
    }
  }
}
