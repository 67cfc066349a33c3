import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { errorMessage, FatalError } from '../../../shared/platform/errors.ts';

/** Names that the models of this project give to their only input and output. */
const INPUT_NAME = 'features';
const OUTPUT_NAME = 'margin';
/** Scoring shares its machine: one thread is enough for small trees, and keeps the sums in one order. */
const THREADS = 1;

/** A model file in ONNX Runtime: rows of float32 features in, one float32 margin for each row out. */
export type OnnxSession = {
  /** SHA-256 of the model file, lower-case hex without 0x. */
  sha256: string;
  margins: (rows: Float32Array, columns: number) => Promise<Float32Array>;
  close: () => Promise<void>;
};

/**
 * Loads an ONNX model from a file. A missing or broken file is a FatalError: without its model
 * the process must not start.
 */
export const openOnnxSession = async (path: string): Promise<OnnxSession> => {
  try {
    return await openOnnxBytes(await readFile(path), path);
  } catch (error) {
    if (error instanceof FatalError) throw error;
    throw new FatalError(`cannot load the model ${path}: ${errorMessage(error)}`, { cause: error });
  }
};

/**
 * Loads an ONNX model and hashes it. Running is in-process and bounded by the caller's number of rows.
 * @param name what it is called in errors
 * @throws FatalError where the bytes are no model
 */
export const openOnnxBytes = async (file: Uint8Array, name: string): Promise<OnnxSession> => {
  const session = await load(file, name);
  const sha256 = createHash('sha256').update(file).digest('hex');
  return {
    sha256,
    margins: async (rows, columns) => {
      if (rows.length % columns !== 0) throw new RangeError('rows are not whole');
      if (rows.length === 0) return new Float32Array();
      const input = new Tensor('float32', rows, [rows.length / columns, columns]);
      const output = (await session.run({ [INPUT_NAME]: input }))[OUTPUT_NAME];
      if (!(output?.data instanceof Float32Array)) throw new FatalError(`${name}: no float margin`);
      return output.data;
    },
    close: () => session.release(),
  };
};

const load = async (file: Uint8Array, name: string): Promise<InferenceSession> => {
  try {
    return await InferenceSession.create(file, {
      executionProviders: ['cpu'],
      executionMode: 'sequential',
      intraOpNumThreads: THREADS,
      interOpNumThreads: THREADS,
    });
  } catch (error) {
    throw new FatalError(`cannot load the model ${name}: ${errorMessage(error)}`, { cause: error });
  }
};
