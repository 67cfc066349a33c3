import type { LpSeries, PoolSync } from '../scorer/features/poolSync.ts';

const ZERO = '0x0000000000000000000000000000000000000000';
const DEAD = '0x000000000000000000000000000000000000dead';
const LOCKER = '0x663a5c229c09b049e36dcc11a9b0d4a8eb9db214';
const address = (number: number): string => `0x${number.toString(16).padStart(40, 'a')}`;
const TRANSFERS_MAX = 12;

/**
 * The liquidity token of a synthetic pool: a first mint to the creator or another wallet, then transfers, burns,
 * locks and removals at the times of its Syncs. Undefined for some pools, as in real recordings.
 */
export const syntheticLp = (
  random: () => number,
  syncs: readonly PoolSync[],
): LpSeries | undefined => {
  const [first] = syncs;
  if (first === undefined || random() < 0.2) return undefined;
  const [pool, creator, other] = [address(1), address(2), address(3)];
  let holder = random() < 0.8 ? creator : other;
  let left = 1e18 * (1 + random() * 50);
  const transfers = [
    { timestampS: first.timestampS, from: ZERO, to: ZERO, value: 1_000 },
    { timestampS: first.timestampS, from: ZERO, to: holder, value: left },
  ];
  const count = Math.floor(random() * TRANSFERS_MAX);
  for (let i = 0; i < count; i += 1) {
    const sync = syncs[Math.floor(((i + 1) / (count + 1)) * syncs.length)] ?? first;
    const value = Math.floor(left * random());
    const to = [LOCKER, DEAD, pool, other, creator][Math.floor(random() * 5)] ?? other;
    transfers.push({ timestampS: sync.timestampS, from: holder, to, value });
    if (to === pool) {
      transfers.push({ timestampS: sync.timestampS, from: pool, to: ZERO, value });
    } else if (random() < 0.3) {
      transfers.push({ timestampS: sync.timestampS, from: ZERO, to: holder, value });
      left += value;
    }
    left -= value;
    if (to === other && random() < 0.3) [holder, left] = [other, value];
  }
  return { pool, creator: random() < 0.9 ? creator : undefined, transfers };
};

const BLOCK_S = 13;
const EVENTS_MAX = 60;
const SWAP_FEE = 0.003;

/** A seeded generator of uniform numbers in [0, 1): mulberry32. */
export const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/**
 * A synthetic pool: first liquidity, then random buys, sells, adds and removals on a constant product. It contains no
 * recorded data, so results may be kept as a fixture.
 */
export const syntheticPool = (random: () => number): PoolSync[] => {
  let base = Math.round(random() * 300) / 10 + 0.1;
  let token = 10 ** (9 + Math.floor(random() * 20)) * (1 + random());
  let blockNumber = 1_000;
  const pace = 1 + Math.floor(random() ** 3 * 400);
  const syncs: PoolSync[] = [];
  const events = Math.floor(random() * EVENTS_MAX);
  for (let i = 0; i <= events; i += 1) {
    const timestampS = blockNumber * BLOCK_S;
    syncs.push({ timestampS, blockNumber, reserveBase: base, reserveToken: token });
    blockNumber += Math.floor(random() * pace);
    const kind = random();
    const share = random() ** 3 * 0.9 + 0.001;
    if (kind < 0.55) {
      const paid = random() < 0.5 ? Math.ceil(base * share * 100) / 100 : base * share;
      token = (base * token) / (base + paid * (1 - SWAP_FEE));
      base += paid;
    } else if (kind < 0.9) {
      const paid = token * share;
      base = (base * token) / (token + paid * (1 - SWAP_FEE));
      token += paid;
    } else {
      const factor = kind < 0.95 ? 1 + share : 1 - share;
      base *= factor;
      token *= factor;
    }
  }
  return syncs;
};
