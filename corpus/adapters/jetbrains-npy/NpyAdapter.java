import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import org.jetbrains.bio.npy.NpyArray;
import org.jetbrains.bio.npy.NpyFile;
import org.jetbrains.bio.npy.NpzEntry;
import org.jetbrains.bio.npy.NpzFile;
import org.json.JSONArray;
import org.json.JSONObject;

/**
 * org.jetbrains.bio:npy under the runner's protocol.
 *
 * <p>The library returns an array of Java and a shape, always of a file in C order; it does not tell the type in the
 * file. Unsigned numbers come as signed ones with the same bits, as its documentation says. For strings it does not
 * tell how long the file has them, and the adapter gives no elements.
 */
final class NpyAdapter implements Adapter.Library {
    @Override
    public JSONObject read(Path file) throws Exception {
        NpyArray array;
        try {
            array = NpyFile.read(file, Integer.MAX_VALUE);
        } catch (RuntimeException refusal) {
            if (isBeyond(String.valueOf(refusal.getMessage())) || Adapter.hasRecord(file)) {
                throw new Adapter.Beyond(String.valueOf(refusal.getMessage()));
            }
            throw refusal;
        }
        return of(array);
    }

    private static JSONObject of(NpyArray array) {
        JSONObject answer = Adapter.accept(array.getShape());
        if (!(array.getData() instanceof String[])) {
            byte[] elements = Adapter.littleEndian(array.getData());
            answer.put("elements_sha256", Adapter.digest(elements, 1, new int[0], false));
        }
        return answer;
    }

    /** The same for archives: every member that the library lists. */
    static final class Archives implements Adapter.Library {
        @Override
        public JSONObject read(Path file) throws Exception {
            JSONArray members = new JSONArray();
            try (NpzFile.Reader archive = NpzFile.read(file)) {
                for (NpzEntry entry : archive.introspect()) {
                    JSONObject array = of(archive.get(entry.getName(), Integer.MAX_VALUE));
                    array.remove("verdict");
                    members.put(new JSONObject().put("key", entry.getName()).put("array", array));
                }
            } catch (RuntimeException refusal) {
                if (isBeyond(String.valueOf(refusal.getMessage()))) {
                    throw new Adapter.Beyond(String.valueOf(refusal.getMessage()));
                }
                throw refusal;
            }
            return new JSONObject().put("verdict", "accept").put("members", members);
        }

        @Override
        public void write(Adapter.Request request, Path file) throws Adapter.Beyond {
            throw new Adapter.Beyond("archives are read only");
        }
    }

    /** What the library says of a type or order that it does not read. */
    private static boolean isBeyond(String message) {
        return message.startsWith("unexpected header type") || message.startsWith("unexpected number of bytes")
            || message.startsWith("Fortran-contiguous arrays are not supported");
    }

    private interface Writer {
        void write(Path file, ByteBuffer elements, int count, int[] shape, ByteOrder order);
    }

    private static final Map<String, Writer> WRITERS = Map.of(
        "b1", (file, elements, count, shape, order) -> {
            boolean[] data = new boolean[count];
            for (int i = 0; i < count; i++) {
                data[i] = elements.get() != 0;
            }
            NpyFile.write(file, data, shape);
        },
        "i1", (file, elements, count, shape, order) -> NpyFile.write(file, elements.array(), shape),
        "i2", (file, elements, count, shape, order) -> {
            short[] data = new short[count];
            elements.asShortBuffer().get(data);
            NpyFile.write(file, data, shape, order);
        },
        "i4", (file, elements, count, shape, order) -> {
            int[] data = new int[count];
            elements.asIntBuffer().get(data);
            NpyFile.write(file, data, shape, order);
        },
        "i8", (file, elements, count, shape, order) -> {
            long[] data = new long[count];
            elements.asLongBuffer().get(data);
            NpyFile.write(file, data, shape, order);
        },
        "f4", (file, elements, count, shape, order) -> {
            float[] data = new float[count];
            elements.asFloatBuffer().get(data);
            NpyFile.write(file, data, shape, order);
        },
        "f8", (file, elements, count, shape, order) -> {
            double[] data = new double[count];
            elements.asDoubleBuffer().get(data);
            NpyFile.write(file, data, shape, order);
        });

    @Override
    public void write(Adapter.Request request, Path file) throws Adapter.Beyond {
        Writer writer = WRITERS.get(request.descr().substring(1));
        if (writer == null) {
            throw new Adapter.Beyond("no array of Java is written as that type");
        }
        if (request.fortranOrder() || request.version() != null) {
            throw new Adapter.Beyond("writes C order only, and chooses the version");
        }
        ByteOrder order = request.descr().charAt(0) == '>' ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        writer.write(file, request.buffer(), request.count(), request.shape(), order);
    }

    public static void main(String[] arguments) throws Exception {
        boolean isArchive = arguments.length > 0 && arguments[0].equals("npz");
        Adapter.serve("org.jetbrains.bio:npy", "0.3.5", isArchive ? new Archives() : new NpyAdapter());
    }
}
