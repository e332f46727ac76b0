import java.io.FileInputStream;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.json.JSONObject;
import org.openlca.npy.Npy;
import org.openlca.npy.NpyArray;
import org.openlca.npy.NpyBooleanArray;
import org.openlca.npy.NpyByteArray;
import org.openlca.npy.NpyDataType;
import org.openlca.npy.NpyDoubleArray;
import org.openlca.npy.NpyFloatArray;
import org.openlca.npy.NpyHeader;
import org.openlca.npy.NpyIntArray;
import org.openlca.npy.NpyLongArray;
import org.openlca.npy.NpyShortArray;
import org.openlca.npy.dict.NpyHeaderDict;

/**
 * org.openlca:npy under the runner's protocol.
 *
 * <p>The library's header reader tells type, order and where the data begin; the array that it returns is in the order
 * of the file, its half floats and unsigned numbers widened. The adapter narrows them again.
 */
final class NpyAdapter implements Adapter.Library {
    @Override
    public JSONObject read(Path file) throws Exception {
        try (InputStream stream = new FileInputStream(file.toFile())) {
            NpyHeader header = NpyHeader.read(stream);
            NpyArray<?> array = Npy.read(file.toFile());
            return answer(header, array);
        } catch (RuntimeException refusal) {
            String message = String.valueOf(refusal.getMessage());
            if (message.startsWith("unsupported data type") || Adapter.hasRecord(file)) {
                throw new Adapter.Beyond(message);
            }
            throw refusal;
        }
    }

    private static JSONObject answer(NpyHeader header, NpyArray<?> array) {
        NpyHeaderDict dict = header.dict();
        JSONObject answer = Adapter.accept(array.shape())
            .put("fortran_order", array.hasColumnOrder())
            .put("data_offset", header.dataOffset())
            .put("descr", descr(dict));
        int itemsize = dict.dataType() == NpyDataType.U ? 4 * dict.typeSize() : dict.typeSize();
        byte[] elements = narrowed(array.data(), dict);
        return answer.put("elements_sha256", Adapter.digest(elements, itemsize, array.shape(), array.hasColumnOrder()));
    }

    private static String descr(NpyHeaderDict dict) {
        String order = header(dict) == ByteOrder.BIG_ENDIAN ? ">" : "<";
        return switch (dict.dataType()) {
            case bool -> "|b1";
            case S, U -> order + dict.dataType().name() + dict.typeSize();
            default -> order + dict.dataType().name();
        };
    }

    private static ByteOrder header(NpyHeaderDict dict) {
        return dict.byteOrder().toJava();
    }

    /** The bytes that the file's type has for the numbers, or for the characters of one string. */
    private static byte[] narrowed(Object data, NpyHeaderDict dict) {
        int count = Array.getLength(data);
        ByteBuffer out = ByteBuffer.allocate(8 * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            put(out, dict.dataType(), Array.get(data, i));
        }
        return java.util.Arrays.copyOf(out.array(), out.position());
    }

    private static void put(ByteBuffer out, NpyDataType type, Object value) {
        switch (type) {
            case bool -> out.put((byte) ((Boolean) value ? 1 : 0));
            case f2 -> out.putShort(half((Float) value));
            case f4 -> out.putInt(Float.floatToRawIntBits((Float) value));
            case f8 -> out.putLong(Double.doubleToRawLongBits((Double) value));
            case i1, u1 -> out.put(((Number) value).byteValue());
            case i2, u2 -> out.putShort(((Number) value).shortValue());
            case i4, u4 -> out.putInt(((Number) value).intValue());
            case i8 -> out.putLong((Long) value);
            case u8 -> out.putLong(value instanceof BigInteger number ? number.longValue() : (Long) value);
            case S -> out.put((byte) (char) (Character) value);
            case U -> out.putInt((Character) value);
        }
    }

    /** The half float that a float is, which came of widening one. */
    private static short half(float value) {
        if (Float.isNaN(value)) {
            return 0x7e00;
        }
        int sign = Float.floatToRawIntBits(value) >>> 16 & 0x8000;
        float size = Math.abs(value);
        if (Float.isInfinite(value)) {
            return (short) (sign | 0x7c00);
        }
        if (size < 0x1p-14f) {
            return (short) (sign | (int) (size * 0x1p24f));
        }
        int exponent = Math.getExponent(size);
        return (short) (sign | exponent + 15 << 10 | (int) Math.scalb(size, 10 - exponent) - 1024);
    }

    @Override
    public void write(Adapter.Request request, Path file) throws Exception {
        if (request.version() != null) {
            throw new Adapter.Beyond("the library chooses the version");
        }
        if (request.descr().charAt(0) == '>') {
            throw new Adapter.Beyond("arrays of Java are written in native order");
        }
        try {
            Npy.write(file.toFile(), array(request));
        } catch (UncheckedIOException failure) {
            throw failure.getCause();
        }
    }

    /** The array of the library for a request, in the order that was asked for. */
    private static NpyArray<?> array(Adapter.Request request) throws Adapter.Beyond {
        int[] shape = request.shape();
        int count = request.count();
        boolean columns = request.fortranOrder();
        byte[] elements = request.elements();
        if (columns) {
            elements = Adapter.transposed(elements, elements.length / Math.max(count, 1), Adapter.reversed(shape));
        }
        ByteBuffer buffer = ByteBuffer.wrap(elements).order(ByteOrder.LITTLE_ENDIAN);
        switch (request.descr().substring(1)) {
            case "b1":
                boolean[] flags = new boolean[count];
                for (int i = 0; i < count; i++) {
                    flags[i] = elements[i] != 0;
                }
                return new NpyBooleanArray(shape, flags, columns);
            case "i1":
                return new NpyByteArray(shape, elements, columns);
            case "i2":
                short[] shorts = new short[count];
                buffer.asShortBuffer().get(shorts);
                return new NpyShortArray(shape, shorts, columns);
            case "i4":
                int[] ints = new int[count];
                buffer.asIntBuffer().get(ints);
                return new NpyIntArray(shape, ints, columns);
            case "i8":
                long[] longs = new long[count];
                buffer.asLongBuffer().get(longs);
                return new NpyLongArray(shape, longs, columns);
            case "f4":
                float[] floats = new float[count];
                buffer.asFloatBuffer().get(floats);
                return new NpyFloatArray(shape, floats, columns);
            case "f8":
                double[] doubles = new double[count];
                buffer.asDoubleBuffer().get(doubles);
                return new NpyDoubleArray(shape, doubles, columns);
            default:
                throw new Adapter.Beyond("no array of the library is written as that type");
        }
    }

    public static void main(String[] arguments) throws Exception {
        Adapter.serve("org.openlca:npy", "0.0.3", new NpyAdapter());
    }
}
