import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../../shared/platform/projectRoot.ts';

const MODEL_CARD = 'pipeline/scorer/model/artifacts/card.json';
/** A card need not tell the share of right predictions: what it does not tell is not made up. */
const modelCardSchema = z.object({ accuracy: z.number().min(0).max(1).optional() });

/** Share of right predictions measured when the model was trained; null where its card tells none. */
export const readValidationAccuracy = async (): Promise<number | null> => {
  const text = await readFile(join(projectRoot(), MODEL_CARD), 'utf8');
  return modelCardSchema.parse(JSON.parse(text)).accuracy ?? null;
};
