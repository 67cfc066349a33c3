import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { errorMessage, FatalError } from '../../../shared/platform/errors.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { parseForest } from './forest.ts';
import { createModel, type MarginSession, type Model, parseModelCard } from './model.ts';

/** Names of the only input and output of this project's models. */
const INPUT_NAME = 'features';
const OUTPUT_NAME = 'margin';
/** Scoring shares its machine: one thread is enough for small trees, and keeps sums in one order. */
const THREADS = 1;

/** Does something that a model requires. @throws FatalError */
const orFatal = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw new FatalError(`cannot ${what}: ${errorMessage(error)}`, { cause: error });
  }
};

/**
 * Loads an ONNX model and hashes it. It runs in-process and is bounded by the caller's number of rows.
 * @param name its name in errors
 * @throws FatalError if the bytes are not a model: without its model the process must not start
 */
export const openOnnx = async (
  file: Uint8Array,
  name: string,
): Promise<MarginSession & { close: () => Promise<void> }> => {
  const session = await orFatal(`load the model ${name}`, () =>
    InferenceSession.create(file, {
      executionProviders: ['cpu'],
      executionMode: 'sequential',
      intraOpNumThreads: THREADS,
      interOpNumThreads: THREADS,
    }),
  );
  return {
    sha256: createHash('sha256').update(file).digest('hex'),
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

/** The files of a model, as stored in the table `models`. */
export interface ModelFiles {
  readonly onnx: Uint8Array;
  readonly trees: string;
  readonly card: string;
}

/**
 * Creates a model from its files.
 * @param name its name in errors
 * @throws FatalError if one is broken; AssertionError if they disagree.
 */
export const openModel = async (
  { onnx, trees, card }: ModelFiles,
  name = 'of the registry',
): Promise<Model> => {
  const parse = (text: string) =>
    orFatal(`read the model ${name}`, (): unknown => JSON.parse(text));
  return createModel({
    session: await openOnnx(onnx, name),
    forest: parseForest(await parse(trees)),
    card: parseModelCard(await parse(card)),
  });
};

/**
 * Loads the model with its trees and card from a folder.
 * @throws FatalError if a file is missing or broken; AssertionError if the files disagree.
 */
export const loadModel = async (folder: string): Promise<Model> => {
  const read = (file: string): Promise<Buffer> => {
    const path = join(folder, file);
    return orFatal(`read ${path}`, () => readFile(path));
  };
  const [onnx, trees, card] = await Promise.all([
    read('model.onnx'),
    read('trees.json'),
    read('card.json'),
  ]);
  return openModel({ onnx, trees: trees.toString(), card: card.toString() }, folder);
};

/** Loads the market model of this release. */
export const loadShippedModel = (): Promise<Model> =>
  loadModel(join(projectRoot(), 'pipeline/scorer/model/artifacts'));

/** Loads the model of markets older than a day; its features are `poolLifeFeatures`. */
export const loadLifeModel = (): Promise<Model> =>
  loadModel(join(projectRoot(), 'pipeline/scorer/model/lifeArtifacts'));

/**
 * Loads the model of contract code; its features are `opcodeShares` of `opcodeHistogram` of the deployed code.
 * @throws as `loadModel`.
 */
export const loadContractModel = (): Promise<Model> =>
  loadModel(join(projectRoot(), 'pipeline/scorer/model/contractArtifacts'));
