import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { compareModels } from '../scorer/learning/compareModels.ts';
import {
  createModelStore,
  inForce,
  type ModelEntry,
  previouslyInForce,
  SHIPPED,
} from '../scorer/learning/modelStore.ts';
import { createShadowStore } from '../scorer/learning/shadowStore.ts';
import type { Model } from '../scorer/model/model.ts';
import { InputError } from './readCsv.ts';

const HASH_PREFIX_MIN = 8;

/** The shipped model as an entry in a chain's list of models. */
export const shippedEntry = ({ name }: Model): ModelEntry => ({
  sha256: SHIPPED,
  name,
  trainedUntilS: 0,
  tokens: 0,
  madeAtMs: 0,
  promotedAtMs: undefined,
});

/** @throws InputError that lists the allowed names */
const named = (name: string, models: readonly ModelEntry[], shipped: ModelEntry): ModelEntry => {
  if (name === 'shipped') return shipped;
  if (name === 'previous') {
    const previous = previouslyInForce(models);
    if (previous) return previous;
    throw new InputError('MODEL=previous: the shipped model was never replaced on this chain');
  }
  const found = models.filter(
    ({ sha256 }) =>
      sha256 !== SHIPPED && name.length >= HASH_PREFIX_MIN && sha256.startsWith(name.toLowerCase()),
  );
  const [first] = found;
  if (first && found.length === 1) return first;
  const trained = models.filter(({ sha256 }) => sha256 !== SHIPPED);
  const hashes = trained.map(({ sha256 }) => sha256.slice(0, HASH_PREFIX_MIN)).join(', ');
  throw new InputError(
    `MODEL=${name}: must be previous, shipped, or the hash of a model of this chain or its first ${HASH_PREFIX_MIN} digits: ` +
      (hashes || 'there is none yet, make retrain trains one'),
  );
};

/** @throws InputError if the model has not passed the test */
const assertBetter = async (
  clickhouse: Clickhouse,
  chainId: number,
  { sha256 }: ModelEntry,
  replaced: { readonly sha256: string; readonly name: string },
): Promise<void> => {
  const compared = await createShadowStore(clickhouse).compared(chainId, sha256, replaced.sha256);
  const { lacks } = compareModels(compared);
  if (lacks === undefined) return;
  throw new InputError(
    `${sha256.slice(0, HASH_PREFIX_MIN)} has not passed the test against ${replaced.name}: ${lacks}. FORCE=1 promotes it all the same`,
  );
};

/**
 * Puts a model of a chain in force.
 * @param name a hash, `previous` or `shipped`
 * @returns the model, and the one that it replaced
 * @throws InputError if there is no such model, it is already in force, or it has not passed the test and `isForced`
 * is false
 */
export const promote = async (
  clickhouse: Clickhouse,
  chainId: number,
  { name, isForced }: { name: string; isForced: boolean },
  shippedModel: Model,
  nowMs: number,
): Promise<{ promoted: ModelEntry; replaced: ModelEntry }> => {
  const store = createModelStore(clickhouse);
  const models = await store.list(chainId);
  const shipped = models.find(({ sha256 }) => sha256 === SHIPPED) ?? shippedEntry(shippedModel);
  const replaced = inForce(models) ?? shipped;
  const promoted = named(name, models, shipped);
  if (promoted.sha256 === replaced.sha256) {
    throw new InputError(`MODEL=${name}: ${promoted.name} (${promoted.sha256}) is in force`);
  }
  // Going back is always allowed: these models were in force before.
  const isKnown = promoted.sha256 === SHIPPED || promoted.promotedAtMs !== undefined;
  const rival = replaced.sha256 === SHIPPED ? shippedModel : replaced;
  if (!isForced && !isKnown) await assertBetter(clickhouse, chainId, promoted, rival);
  if (!models.includes(shipped)) {
    await store.insert(chainId, shipped, undefined);
    // The replaced model was in force without a row of its own.
    if (replaced.sha256 === SHIPPED) await store.promote(chainId, shipped.sha256, nowMs - 1);
  }
  await store.promote(chainId, promoted.sha256, nowMs);
  return { promoted, replaced };
};
