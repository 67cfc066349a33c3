type Column<T> = {
  new (buffer: ArrayBuffer, byteOffset: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
};

/** Smaller columns would gain nothing from a mapping of their own. */
const SMALL_BYTES_MAX = 2 ** 20;
/**
 * The C library (glibc) allocates up to 32 MiB (`DEFAULT_MMAP_THRESHOLD_MAX`) from its heap once such memory was
 * freed, and fills it with zeros. Larger blocks are mapped: they occupy memory only where they are written, and none
 * after they are freed.
 */
const MAPPED_BYTES_MIN = 2 ** 25 + 1;

/** A column of zeros that occupies memory only where it is written, even if the process freed others before. */
export const reserve = <T>(Type: Column<T>, length: number): T => {
  const bytes = length * Type.BYTES_PER_ELEMENT;
  const reserved = bytes < SMALL_BYTES_MAX ? bytes : Math.max(bytes, MAPPED_BYTES_MIN);
  return new Type(new ArrayBuffer(reserved), 0, length);
};
