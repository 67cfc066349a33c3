import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, FatalError } from '../../../shared/platform/errors.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { parseForest } from './forest.ts';
import { createModel, type Model } from './model.ts';
import { parseModelCard } from './modelCard.ts';
import { openOnnxSession } from './onnx.ts';

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

/**
 * Loads the model of contract code; its features are `opcodeShares` of `opcodeHistogram` of the deployed code.
 * @throws as `loadModel`.
 */
export const loadContractModel = (): Promise<Model> =>
  loadModel(join(projectRoot(), 'pipeline/scorer/model/contractArtifacts'));
