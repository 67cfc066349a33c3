import { z } from 'zod';
import type { Fact } from '../chain/fact.ts';

type Kind = Fact['kind'];

const ADDRESS = 'address';
const QUANTITY = 'quantity';
type FieldType = typeof ADDRESS | typeof QUANTITY;

/** The fields of each kind of fact beside its place in the transaction. */
const FIELDS: Readonly<Record<Kind, Readonly<Record<string, FieldType>>>> = {
  transfer: { token: ADDRESS, from: ADDRESS, to: ADDRESS, value: QUANTITY },
  nativeTransfer: { from: ADDRESS, to: ADDRESS, value: QUANTITY },
  creation: { contract: ADDRESS, creator: ADDRESS },
  pairCreated: { factory: ADDRESS, pool: ADDRESS, token0: ADDRESS, token1: ADDRESS },
  sync: { pool: ADDRESS, reserve0: QUANTITY, reserve1: QUANTITY },
  swap: {
    pool: ADDRESS,
    sender: ADDRESS,
    to: ADDRESS,
    amount0In: QUANTITY,
    amount1In: QUANTITY,
    amount0Out: QUANTITY,
    amount1Out: QUANTITY,
  },
  mint: { pool: ADDRESS, sender: ADDRESS, amount0: QUANTITY, amount1: QUANTITY },
  burn: { pool: ADDRESS, sender: ADDRESS, to: ADDRESS, amount0: QUANTITY, amount1: QUANTITY },
  ownershipTransferred: { contract: ADDRESS, previousOwner: ADDRESS, newOwner: ADDRESS },
};

const WITHOUT_LOG: ReadonlySet<string> = new Set(['nativeTransfer', 'creation']);
const CHECKS: ReadonlyMap<string, readonly (readonly [string, FieldType])[]> = new Map(
  Object.entries(FIELDS).map(([kind, fields]) => [kind, Object.entries(fields)]),
);

const isHexText = (value: unknown, lengthMin: number, lengthMax: number): boolean =>
  typeof value === 'string' &&
  value.length >= lengthMin &&
  value.length <= lengthMax &&
  value.startsWith('0x');

const isIndex = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

/** Shape and sizes of one fact; the digits were sliced from checked RPC answers by the watcher. */
const isFact = (value: unknown): value is Fact => {
  if (typeof value !== 'object' || value === null) return false;
  const fact = value as Record<string, unknown>;
  const checks = CHECKS.get(String(fact['kind']));
  if (!checks || !isHexText(fact['txHash'], 66, 66) || !isIndex(fact['txIndex'])) return false;
  if (!WITHOUT_LOG.has(String(fact['kind'])) && !isIndex(fact['logIndex'])) return false;
  return checks.every(([name, type]) =>
    type === ADDRESS ? isHexText(fact[name], 42, 42) : isHexText(fact[name], 3, 66),
  );
};

/**
 * One decoded fact. A hand-written check instead of a zod union: facts are by far the most frequent
 * values of the pipeline.
 */
export const factSchema = z.custom<Fact>(isFact, 'must be a fact');
