import type { ObjectArray, ObjectDecoder } from "../objects/index.js";

/** What can be read: a string is a path; where there are no files, and with http: or https:, an address. */
export type Input = ArrayBuffer | ArrayBufferView | Blob | Response | ReadableStream<Uint8Array> | URL | string;

/** The type of an element that has no fields. */
export interface SimpleType {
  /** As NumPy writes it: `<f8`. */
  descr: string;
  /** NumPy's letter. */
  kind: "b" | "i" | "u" | "f" | "c" | "S" | "U" | "V" | "M" | "m" | "O";
  byteorder: "<" | ">" | "|";
  /** Bytes of one element. */
  itemsize: number;
  /** Of M and m: NumPy's name of the unit, and how many of it an element counts. None for generic times. */
  unit?: string;
  multiplier?: number;
}

/** The type of a record. */
export interface RecordType {
  /** The list of the fields, as NumPy writes it. */
  descr: string;
  kind: "r";
  byteorder: "|";
  itemsize: number;
  /** Without padding. */
  fields: Field[];
}

export type DType = SimpleType | RecordType;

export interface Field {
  name: string;
  title: string | null;
  /** Bytes from the start of the record. */
  offset: number;
  /** Bytes of the field, all of a sub-array. */
  itemsize: number;
  /** Of a sub-array; else empty. */
  shape: number[];
  dtype: DType;
}

/** What a file declares. A number beyond 2^53 - 1 is a bigint. */
export interface Header {
  /** The type as NumPy writes it: `<f8`, or the list of the fields. */
  descr: string;
  dtype: DType;
  version: string;
  shape: (number | bigint)[];
  fortranOrder: boolean;
  /** Bytes of one element. */
  itemsize: number;
  count: number | bigint;
  hasObject: boolean;
  /** Bytes before the data. */
  dataOffset: number;
  /** Bytes of the data; null for objects, whose data are the rest of the file. */
  dataSize: number | bigint | null;
}

/** A verdict on an NPY file. */
export interface Accepted {
  accepted: true;
  header: Header;
  members?: undefined;
}

/** A verdict on an archive. */
export interface AcceptedArchive {
  accepted: true;
  header?: undefined;
  members: CheckedMember[];
}

/** What is wrong with a file. */
export interface Refusal {
  /** The stable name of what is wrong: `SNPY_BAD_MAGIC`. */
  status: string;
  /** The rule of spec/npy.md that is broken. */
  rule: string;
  message: string;
  hint: string;
  /** The byte of the file at fault. */
  offset: number | bigint;
  /** The name of the member at fault, of which the byte is one if the rule is of spec/npy.md. */
  member?: string;
  /** What a file of another format looks like; a guess. */
  looksLike?: { name: string; noun: string; hint: string };
}

export interface Refused extends Refusal {
  accepted: false;
  /** Of an archive whose members have been checked. */
  members?: CheckedMember[];
}

export type Verdict = Accepted | AcceptedArchive | Refused;

/** What the directory of an archive says of a member. */
export interface Member {
  name: string;
  /** The name without .npy at its end. */
  key: string;
  method: "stored" | "deflated";
  size: number;
  compressedSize: number;
}

/** The header is null for a member that is not an NPY file. */
export type MemberVerdict = { accepted: true; header: Header | null } | Refused;

export interface CheckedMember extends Member {
  verdict: MemberVerdict;
}

/** Thrown for a file that is refused. */
export class NpyError extends Error {
  readonly name: "NpyError";
  readonly status: string;
  readonly rule: string;
  /** The sentence; `message` has rule and offset, too. */
  readonly reason: string;
  readonly hint: string;
  readonly offset: number | bigint;
  readonly member?: string;
  readonly looksLike?: Refusal["looksLike"];
  /** The same, as `check` returns it. */
  verdict(): Refused;
}

export type TypedArray =
  | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | BigUint64Array | BigInt64Array
  | Float32Array | Float64Array;

/**
 * An element: bool as boolean, integers of 8 bytes and times as bigint, complex numbers as [real, imaginary], U as string;
 * S and V, and floats of 16 bytes, as bytes; a record by field, a sub-array as lists.
 */
export type Element = boolean | number | bigint | string | [number, number] | Uint8Array | RecordElement | Element[];

export interface RecordElement {
  [name: string]: Element;
}

export type Nested = Element | Nested[];

/** start, stop, step as in Python; null for what is left out. */
export type Range = null | number | [start?: number | null, stop?: number | null, step?: number];

/** An array over bytes. Its values must not be changed: slices, fields and the bytes loaded may share its memory. */
export class NpyArray {
  private constructor();
  readonly dtype: DType;
  readonly descr: string;
  /** A dimension beyond 2^53 - 1 is a bigint; there are no bytes then. */
  readonly shape: readonly (number | bigint)[];
  /** Bytes from one element to the next along each axis. */
  readonly strides: readonly number[];
  readonly ndim: number;
  /** Elements. */
  readonly size: number;
  /** Bytes of one element. */
  readonly itemsize: number;
  /** Whether `data` is in Fortran order, and not in C order as well. */
  readonly fortranOrder: boolean;
  /**
   * The elements: a typed array in this machine's byte order (a Float16Array or, where there is none, a Float32Array for
   * f2; two numbers for each complex one), or a DataView of the bytes for S, U, V, records, f16 and c32. A slice with gaps
   * is copied to C order.
   */
  readonly data: TypedArray | DataView;
  isContiguous(fortranOrder?: boolean): boolean;
  /** The element at an index, of which there is one number for each axis; -1 is the last one. */
  get(...index: number[]): Element;
  /** A part of the array, without a copy: one range for each axis, the last ones may be left out. A number removes its axis. */
  slice(...ranges: Range[]): NpyArray;
  /** A field of all elements, by name or title, without a copy. The axes of a sub-array come last. */
  field(name: string): NpyArray;
  /** The elements in C order. */
  [Symbol.iterator](): Generator<Element, void>;
  /** The elements as lists in lists; the element itself if there is no axis. */
  toArray(): Nested;
  /** The bytes of the elements in C order, numbers little-endian, padding zero. A copy. */
  toBytes(): Uint8Array;
  /** The bytes of the elements as a file has them: in the order of `fortranOrder`, padding zero. Not always a copy. */
  fileBytes(): Uint8Array;
}

/** An archive that is open. Members are read when they are asked for; its bytes must not change meanwhile. */
export class NpzArchive {
  private constructor();
  /** In the order of the directory. */
  readonly keys: string[];
  readonly members: Member[];
  has(key: string): boolean;
  /** The array of a member, by key or name; compat and objects as for load. */
  get(key: string, options?: { compat?: boolean; objects?: undefined }): Promise<NpyArray>;
  get(key: string, options: { compat?: boolean; objects?: ObjectDecoder }): Promise<NpyArray | ObjectArray>;
  /** All bytes of a member, by key or name; their CRC has been checked. They may be those that the archive was opened from. */
  bytes(key: string): Promise<Uint8Array>;
  /** The verdict on a member: all of its bytes are read, and none but the header kept. */
  check(key: string, options?: { objects?: ObjectDecoder }): Promise<MemberVerdict>;
  checkAll(options?: { objects?: ObjectDecoder }): Promise<CheckedMember[]>;
  /** Closes the file, if it is one. */
  close(): Promise<void>;
}

/** Whether bytes after the data are accepted; true. */
export interface Options {
  trailing?: boolean;
}

/** Checks an NPY file, or an archive and all its members; src/check.js describes it. */
export function check(
  input: Input,
  options?: Options & { format?: "npy" | "npz"; objects?: ObjectDecoder },
): Promise<Verdict>;

/** Opens an archive; src/archive.js describes it. */
export function loadNpz(input: Input): Promise<NpzArchive>;

/** Reads the header of an NPY file; src/load.js describes it. */
export function header(input: Input): Promise<Header>;

/** Loads an NPY file; src/load.js describes it. */
export function load(input: Input, options?: Options & { compat?: boolean; objects?: undefined }): Promise<NpyArray>;
export function load(
  input: Input,
  options: Options & { compat?: boolean; objects?: ObjectDecoder },
): Promise<NpyArray | ObjectArray>;

/** What can be saved: an array that was loaded, or elements as they are in memory. */
export type Savable = NpyArray | ArrayBufferView | ArrayBuffer;

/** Of elements: their shape, otherwise one dimension; their type, otherwise that of the typed array. */
export interface SaveOptions {
  shape?: readonly (number | bigint)[];
  /** As NumPy writes it: `<c16`, or the list of the fields. */
  descr?: string;
  fortranOrder?: boolean;
}

/** The bytes of an NPY file, as numpy.save writes them; src/save.js describes it. */
export function save(array: Savable, options?: SaveOptions): Promise<Uint8Array>;

/** The bytes of an archive; src/save.js describes it. */
export function savez(
  arrays: Record<string, Savable | [Savable, SaveOptions]> | Map<string, Savable | [Savable, SaveOptions]>,
  options?: { compress?: boolean },
): Promise<Uint8Array>;

/** The Date of an element of type M, null for NaT; src/element.js describes it. */
export function toDate(count: bigint, dtype: { unit?: string; multiplier?: number }): Date | null;
