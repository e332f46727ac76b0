import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.json.JSONArray;
import org.json.JSONObject;

/**
 * What the JVM adapters share: the lines level of the protocol of corpus/RUNNER.md, and elements in C order,
 * little-endian.
 *
 * <p>An exception is the way in which a library on the JVM refuses a file. An error (memory, stack) is not caught: the
 * process dies, and the runner calls that a crash.
 */
final class Adapter {
    private Adapter() {}

    /** A library under test. */
    interface Library {
        /** An answer; an exception is a refusal. */
        JSONObject read(Path file) throws Exception;

        /** Writes; {@link Beyond} is what the library does not do. */
        void write(Request request, Path file) throws Exception;
    }

    /** What is beyond the library, by its error or its documentation: a type, an order, a version. */
    static final class Beyond extends Exception {
        Beyond(String message) {
            super(message);
        }
    }

    /** A request to write: elements in C order, little-endian. */
    record Request(String descr, int[] shape, boolean fortranOrder, String version, byte[] elements) {
        static Request of(JSONObject json) throws Beyond {
            return new Request(json.getString("descr"), ints(json.getJSONArray("shape")),
                json.getBoolean("fortran_order"), json.optString("version", null),
                Base64.getDecoder().decode(json.getString("elements_base64"))).sayable();
        }

        private Request sayable() throws Beyond {
            for (byte element : elements) {
                if (descr.equals("|b1") && (element & 0xff) > 1) {
                    throw new Beyond("a bool is 0 or 1");
                }
            }
            return this;
        }

        int count() {
            int count = 1;
            for (int dimension : shape) {
                count *= dimension;
            }
            return count;
        }

        ByteBuffer buffer() {
            return ByteBuffer.wrap(elements).order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static int[] ints(JSONArray array) throws Beyond {
        int[] out = new int[array.length()];
        for (int i = 0; i < out.length; i++) {
            if (array.getLong(i) > Integer.MAX_VALUE) {
                throw new Beyond("a dimension beyond an int");
            }
            out[i] = array.getInt(i);
        }
        return out;
    }

    /** Answers the runner's lines until it says stop or closes the pipe; run.sh says where the answers go. */
    static void serve(String implementation, String version, Library library) throws IOException {
        PrintStream out = new PrintStream(new FileOutputStream("/dev/fd/3"), false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JSONObject command = new JSONObject(line);
            JSONObject reply;
            switch (command.getString("cmd")) {
                case "start" -> reply = new JSONObject().put("protocol", 1).put("implementation", implementation)
                    .put("version", version).put("language", "JVM");
                case "read" -> reply = read(library, Path.of(command.getString("file")));
                case "write" -> reply = write(library, command);
                default -> {
                    return;
                }
            }
            if (command.has("seq")) {
                reply.put("seq", command.get("seq"));
            }
            out.println(reply);
            out.flush();
        }
    }

    private static JSONObject read(Library library, Path file) {
        try {
            return library.read(file);
        } catch (Beyond beyond) {
            return new JSONObject().put("verdict", "unsupported").put("message", brief(beyond));
        } catch (Exception refusal) {
            return new JSONObject().put("verdict", "reject").put("message", brief(refusal));
        }
    }

    private static JSONObject write(Library library, JSONObject command) {
        try {
            library.write(Request.of(command.getJSONObject("request")), Path.of(command.getString("file")));
            return new JSONObject().put("written", true);
        } catch (Beyond beyond) {
            return new JSONObject().put("unsupported", brief(beyond));
        } catch (Exception failure) {
            return new JSONObject().put("error", brief(failure));
        }
    }

    /** A message in one line, cut short: some quote a whole hostile header. */
    private static String brief(Exception exception) {
        String text = exception.getMessage() == null ? exception.getClass().getName() : exception.getMessage();
        String line = String.join(" ", text.strip().split("\\s+"));
        return line.substring(0, line.offsetByCodePoints(0, Math.min(line.codePointCount(0, line.length()), 100)));
    }

    /**
     * The answer for an array that the library returned with this shape. Dimensions that the protocol cannot say,
     * because they are negative, are given as 0, and as they are under x-shape.
     */
    static JSONObject accept(int[] shape) {
        JSONObject answer = new JSONObject().put("verdict", "accept");
        JSONArray said = new JSONArray();
        for (int dimension : shape) {
            said.put(Math.max(dimension, 0));
            if (dimension < 0) {
                answer.put("x-shape", Arrays.toString(shape));
            }
        }
        return answer.put("shape", said);
    }

    /** The little-endian bytes of an array of primitive numbers, floats by their bits. */
    static byte[] littleEndian(Object numbers) {
        int length = Array.getLength(numbers);
        ByteBuffer out = ByteBuffer.allocate(8 * length).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < length; i++) {
            Object number = Array.get(numbers, i);
            if (number instanceof Boolean value) {
                out.put((byte) (value ? 1 : 0));
            } else if (number instanceof Byte value) {
                out.put(value);
            } else if (number instanceof Short value) {
                out.putShort(value);
            } else if (number instanceof Integer value) {
                out.putInt(value);
            } else if (number instanceof Long value) {
                out.putLong(value);
            } else if (number instanceof Float value) {
                out.putInt(Float.floatToRawIntBits(value));
            } else if (number instanceof Double value) {
                out.putLong(Double.doubleToRawLongBits(value));
            } else {
                throw new IllegalArgumentException(numbers.getClass().getName());
            }
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    /**
     * The digest of elements that the library returned in the order of the file.
     *
     * <p>If their number is not that of the shape the library returned something that cannot be put in order; the
     * digest of what it returned is then as good as any other wrong one.
     */
    static String digest(byte[] elements, int itemsize, int[] shape, boolean fortranOrder) {
        long size = itemsize;
        for (int dimension : shape) {
            size = Math.multiplyHigh(size, dimension) == 0 ? size * dimension : -1;
        }
        byte[] ordered = fortranOrder && size == elements.length ? transposed(elements, itemsize, shape) : elements;
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(ordered));
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Elements of an array in Fortran order, put in C order. (With the shape reversed it does the opposite.) */
    static byte[] transposed(byte[] elements, int itemsize, int[] shape) {
        byte[] out = new byte[elements.length];
        int[] strides = new int[shape.length];
        int stride = itemsize;
        for (int axis = 0; axis < shape.length; axis++) {
            strides[axis] = stride;
            stride *= shape[axis];
        }
        int[] index = new int[shape.length];
        for (int to = 0; to < out.length; to += itemsize) {
            int from = 0;
            for (int axis = 0; axis < shape.length; axis++) {
                from += index[axis] * strides[axis];
            }
            System.arraycopy(elements, from, out, to, itemsize);
            for (int axis = shape.length - 1; axis >= 0 && ++index[axis] == shape[axis]; axis--) {
                index[axis] = 0;
            }
        }
        return out;
    }

    static int[] reversed(int[] shape) {
        int[] out = new int[shape.length];
        for (int axis = 0; axis < shape.length; axis++) {
            out[axis] = shape[shape.length - 1 - axis];
        }
        return out;
    }

    private static final Pattern RECORD = Pattern.compile("descr['\"]?\\s*:\\s*\\[");

    /**
     * Whether the header's text gives a list (a record) as descr: asked only when a library whose documentation
     * promises plain types alone has refused the file, so that a refusal is not called a fault.
     */
    static boolean hasRecord(Path file) throws IOException {
        return RECORD.matcher(Files.readString(file, StandardCharsets.ISO_8859_1)).find();
    }
}
