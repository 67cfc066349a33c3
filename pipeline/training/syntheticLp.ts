import type { LpSeries, PoolSync } from '../scorer/features/poolSync.ts';

const ZERO = '0x0000000000000000000000000000000000000000';
const DEAD = '0x000000000000000000000000000000000000dead';
const LOCKER = '0x663a5c229c09b049e36dcc11a9b0d4a8eb9db214';
const address = (number: number): string => `0x${number.toString(16).padStart(40, 'a')}`;
const TRANSFERS_MAX = 12;

/**
 * The liquidity token of an invented pool: a first mint to the creator or somebody else, then transfers,
 * burns, locks and removals at the times of its Syncs. Undefined for some pools, as in real recordings.
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
