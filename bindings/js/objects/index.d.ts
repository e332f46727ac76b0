import type { DType, Element, NpyArray } from "../src/index.js";

/** Decodes arrays of objects, for the option `objects` of load, check and the members of archives. */
export class ObjectDecoder {
  private constructor();
  private readonly decodes: never;
}

/** A decoder for payloads that need no more than a set of spec/objects.md: plain, unless `set` is data. */
export function objects(set?: "data" | "plain"): ObjectDecoder;

/** An array of objects. */
export class ObjectArray {
  private constructor();
  /** Of a record that has objects, an element is a frozen list of its fields. */
  readonly dtype: DType;
  readonly descr: string;
  readonly shape: readonly (number | bigint)[];
  readonly ndim: number;
  /** Elements. */
  readonly size: number;
  readonly fortranOrder: boolean;
  /** The elements in C order, whatever `fortranOrder`. */
  readonly data: Value[];
  /** Of a masked array that is the whole file. */
  readonly mask?: Mask;
  readonly fillValue?: Value;
  /** The element at an index, of which there is one number for each axis; -1 is the last one. */
  get(...index: number[]): Value;
  /** The elements in C order. */
  [Symbol.iterator](): IterableIterator<Value>;
  /** The elements as lists in lists; the element itself if there is no axis. */
  toArray(): Value | Value[];
}

/** Of one byte for each element; or these bytes, if records have one for each field. True: the element is missing. */
export type Mask = NpyArray | Uint8Array;

/** A whole number: a bigint beyond 2^53 - 1. */
export type Int = number | bigint;

/**
 * A value: None as null, bool as boolean, int as Int, float as number, str as string, bytes and bytearray as bytes, list as
 * list, tuple as frozen list, dict as Map, set and frozenset as Set; a NumPy array as load returns it, and a NumPy scalar as
 * an element of one, but whole numbers as Int. What JavaScript has not is a PyObject. A value that occurs twice is one
 * value, and may contain itself.
 */
export type Value = null | boolean | Int | string | Element | readonly Value[] | Map<Value, Value> | Set<Value> | NpyArray | ObjectArray | PyObject;

interface Parts {
  complex: { real: number; imag: number };
  "datetime.date": { year: number; month: number; day: number };
  "datetime.time": Time;
  "datetime.datetime": Time & { year: number; month: number; day: number };
  "datetime.timedelta": { days: number; seconds: number; microseconds: number };
  /** `offset` from UTC. */
  "datetime.timezone": { offset: PyObjectOf<"datetime.timedelta">; name: string | null };
  /** As `str` of Python writes it. */
  "decimal.Decimal": { text: string };
  "fractions.Fraction": { numerator: Int; denominator: Int };
  /** In hexadecimal, with hyphens. */
  "uuid.UUID": { text: string };
  range: { start: Int; stop: Int; step: Int };
  slice: { start: Int | null; stop: Int | null; step: Int | null };
  /** `fields`: the nine; `zone`: tm_zone and tm_gmtoff. */
  "time.struct_time": { fields: readonly number[]; zone: Map<string, string | number | null> };
  "pathlib.PosixPath": Path;
  "pathlib.PurePosixPath": Path;
  "pathlib.WindowsPath": Path;
  "pathlib.PureWindowsPath": Path;
  /** Null for a sub-array, and for a type that takes more than 64 KiB in a header. */
  "numpy.dtype": { dtype: DType | null };
  /** `count` of the unit of `dtype`, as in an array. */
  "numpy.datetime64": { count: bigint; dtype: DType };
  "numpy.timedelta64": { count: bigint; dtype: DType };
  /** `naObject`: what stands for a missing string, undefined for nothing. */
  "numpy.dtypes.StringDType": { coerce: boolean; naObject?: Value };
  "numpy.ma.MaskedArray": { data: NpyArray | ObjectArray; mask: Mask; fillValue: Value };
}

interface Time {
  hour: number;
  minute: number;
  second: number;
  microsecond: number;
  tzinfo: PyObjectOf<"datetime.timezone"> | null;
  fold: number;
}

/** The arguments of the path: its parts, or all of it. */
interface Path {
  parts: readonly string[];
}

/** A value of one type of Python. */
export type PyObjectOf<T extends keyof Parts> = { readonly type: T } & Readonly<Parts[T]>;

/** A value of a type that JavaScript has not: `type` is the name in Python, the rest are its parts. Frozen. */
export type PyObject = { [T in keyof Parts]: PyObjectOf<T> }[keyof Parts];
/** The class of all of them: `value instanceof PyObject`. */
export const PyObject: abstract new (none: never) => PyObject;
