import type { Hex } from '../../shared/chain/block.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';
import type { FlushMoment, FlushPorts } from './flushPorts.ts';
import type { Ring } from './graph/ring.ts';
import type { Dirty } from './memory/ringMemory.ts';
import { storeRings } from './rings/storeRings.ts';
import { storeWallets } from './wallets/storeWallets.ts';
import { tokenLoss } from './wallets/tokenLoss.ts';

/** Tokens of a ring whose losses are examined together. */
const TOKENS_PER_STEP_MAX = 200;

/** Stores the losses caused by tokens. */
const storeLosses = async (
  ports: FlushPorts,
  tokens: readonly Hex[],
  moment: FlushMoment,
): Promise<void> => {
  const price = await ports.nativePriceUsd();
  const makers = new Map<Hex, Ring>();
  for (const ring of tokens.length > 0 ? ports.detector.rings() : []) {
    for (const { token } of ring.tokens) makers.set(token, ring);
  }
  for (const some of slicesOf(tokens, TOKENS_PER_STEP_MAX)) {
    const markets = await ports.losses.markets(some);
    const found = markets.map((market) => {
      const own = new Set(makers.get(market.token)?.members.map(({ wallet }) => wallet));
      return tokenLoss(market, (wallet) => own.has(wallet), price);
    });
    await ports.losses.write(found, moment.version);
  }
};

/**
 * Stores and publishes changes: losses of tokens, then rings, then wallets; returns the wallets that have a row now.
 * Everything is computed anew from the detector and the stored chain data, so a repetition, also after a crash in
 * between, results in the same rows.
 */
export const flush = async (
  ports: FlushPorts,
  dirty: Dirty,
  moment: FlushMoment,
): Promise<Set<Hex>> => {
  const { detector, reader } = ports;
  const ofRings = [...dirty.rings].flatMap((id) => detector.ring(id)?.tokens ?? []);
  const scams = ofRings.filter(({ isScam }) => isScam).map(({ token }) => token);
  const ruined = new Set([...dirty.tokens, ...(moment.isStart ? [] : scams)]);
  await storeLosses(ports, [...ruined], moment);
  const [members, buyers] = await Promise.all([
    storeRings(ports, dirty, moment),
    reader.buyers([...dirty.tokens]),
  ]);
  const plain = buyers.filter((wallet) => !detector.isHub(wallet));
  const touched = new Set([...dirty.wallets, ...members, ...plain]);
  await storeWallets(ports, [...touched], moment);
  return touched;
};
