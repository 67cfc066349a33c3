import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openOnnxSession } from '../../shared/adapters/onnx.ts';
import { errorMessage, FatalError } from '../../shared/runtime/errors.ts';
import { projectRoot } from '../../shared/runtime/projectRoot.ts';
import { parseForest } from './model/forest.ts';
import { createModel, type Model } from './model/model.ts';
import { parseModelCard } from './model/modelCard.ts';

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
