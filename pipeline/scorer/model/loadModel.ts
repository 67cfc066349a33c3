import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, FatalError } from '../../../shared/platform/errors.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { parseForest } from './forest.ts';
import { createModel, type Model, parseModelCard } from './model.ts';
import { openOnnxBytes, openOnnxSession } from './onnx.ts';

const readJson = async (path: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new FatalError(`cannot read ${path}: ${errorMessage(error)}`, { cause: error });
  }
};

/**
 * Loads the model with its trees and card from a folder.
 * @throws FatalError where a file is missing or broken; AssertionError where the files disagree.
 */
export const loadModel = async (folder: string): Promise<Model> => {
  const [session, trees, card] = await Promise.all([
    openOnnxSession(join(folder, 'model.onnx')),
    readJson(join(folder, 'trees.json')),
    readJson(join(folder, 'card.json')),
  ]);
  return createModel({ session, forest: parseForest(trees), card: parseModelCard(card) });
};

/** The files of a model, as they are kept in the table `models`. */
export interface ModelFiles {
  readonly onnx: Uint8Array;
  readonly trees: string;
  readonly card: string;
}

/**
 * Makes a model of its files.
 * @throws FatalError where one is broken; AssertionError where they disagree.
 */
export const openModel = async ({ onnx, trees, card }: ModelFiles): Promise<Model> =>
  createModel({
    session: await openOnnxBytes(onnx, 'of the registry'),
    forest: parseForest(JSON.parse(trees)),
    card: parseModelCard(JSON.parse(card)),
  });

/** Loads the model of the market that this release ships. */
export const loadShippedModel = (): Promise<Model> =>
  loadModel(join(projectRoot(), 'pipeline/scorer/model/artifacts'));

/**
 * Loads the model of contract code; its features are `opcodeShares` of `opcodeHistogram` of the deployed code.
 * @throws as `loadModel`.
 */
export const loadContractModel = (): Promise<Model> =>
  loadModel(join(projectRoot(), 'pipeline/scorer/model/contractArtifacts'));
