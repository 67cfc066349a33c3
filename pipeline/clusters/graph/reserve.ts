type Column<T> = {
  new (buffer: ArrayBuffer, byteOffset: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
};

/** Below it the C library's heap is as good. */
const SMALL_BYTES_MAX = 2 ** 20;
/**
 * The C library (glibc) takes memory of up to 32 MiB (`DEFAULT_MMAP_THRESHOLD_MAX`) from its heap once such memory was given back, and writes zeros
 * into it. Anything larger is mapped: it takes room where it is written to, and none when it is given back.
 */
const MAPPED_BYTES_MIN = 2 ** 25 + 1;

/** A column of zeros that takes memory only where it is written to, also when the process made others before. */
export const reserve = <T>(Type: Column<T>, length: number): T => {
  const bytes = length * Type.BYTES_PER_ELEMENT;
  const reserved = bytes < SMALL_BYTES_MAX ? bytes : Math.max(bytes, MAPPED_BYTES_MIN);
  return new Type(new ArrayBuffer(reserved), 0, length);
};
