import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import type { WatchItem } from '../../../shared/messages/watchMessage.ts';
import { type CastPool, POOLS, WETH } from './programme.ts';
import { NATIVE_USD } from './runScorer.ts';

/** What two alerts must have in common to be the same. */
export interface ExpectedAlert {
  readonly watchId: number;
  readonly type: string;
  readonly block: Hex;
  readonly logIndex: number;
  readonly severity: string;
  readonly change: number | null;
}

/** Something that happened, with who is concerned. */
interface Event extends Omit<ExpectedAlert, 'watchId'> {
  readonly number: number;
  readonly timestampS: number;
  readonly token: Hex;
  readonly subject: Hex;
  readonly wallets: readonly Hex[];
  readonly strength: number;
}

type MarketPool = Pick<CastPool, 'address' | 'token0' | 'token1'>;

/** The pools against the base token: one ether is worth `NATIVE_USD` there. */
export interface Market {
  readonly pools: readonly MarketPool[];
  readonly weth: Hex;
}

const CAST_MARKET: Market = { pools: POOLS, weth: WETH };
const WINDOW_S = 600;
const PRICE_WINDOW_S = 3_600;
const REPEAT_S = 900;
const COIN = 1e18;
const USD_MIN = 100;
const STRENGTH: Readonly<Record<string, Readonly<Record<WatchItem['sensitivity'], number>>>> = {
  rug_pull: { low: 0.8, medium: 0.5, high: 0.25 },
  price_drop: { low: 0.6, medium: 0.4, high: 0.2 },
  liquidity_removed: { low: 0.4, medium: 0.25, high: 0.125 },
};
const RANK = ['info', 'warning', 'critical'];
const round = (share: number): number => Math.round(share * 10_000) / 10_000;

interface Change {
  readonly logIndex: number;
  readonly before: number;
  readonly after: number;
  readonly paid: number;
  /** Base per token. */
  readonly priceBefore: number;
  readonly priceAfter: number;
  readonly isBurn: boolean;
  readonly wallets: readonly Hex[];
}

/** A pool at the end of a block. */
interface Past {
  readonly timestampS: number;
  readonly reserve: number;
  readonly price: number;
}

const logIndexOf = (fact: Fact): number => ('logIndex' in fact ? fact.logIndex : -1);

/** What a pool did in a block, base side only: in this world the log after a Sync explains it. */
const changesOf = (
  pool: MarketPool,
  weth: Hex,
  { facts }: BlockFacts,
  last: Past | undefined,
): Change[] => {
  const isBase0 = pool.token0 === weth;
  const side = (amount0: Hex, amount1: Hex): number => Number(isBase0 ? amount0 : amount1);
  let before = last?.reserve ?? 0;
  let priceBefore = last?.price ?? 0;
  return facts.flatMap((fact, i): Change[] => {
    if (fact.kind !== 'sync' || fact.pool !== pool.address) return [];
    const next = facts[i + 1];
    const why = next && 'pool' in next && next.txHash === fact.txHash ? next : undefined;
    const paid =
      why?.kind === 'burn'
        ? side(why.amount0, why.amount1)
        : why?.kind === 'swap'
          ? side(why.amount0Out, why.amount1Out)
          : 0;
    const wallets = why?.kind === 'burn' || why?.kind === 'swap' ? [why.to] : [];
    const after = side(fact.reserve0, fact.reserve1);
    const priceAfter = after / side(fact.reserve1, fact.reserve0);
    const prices = { priceBefore, priceAfter };
    const change = { before, after, paid, wallets, isBurn: why?.kind === 'burn', ...prices };
    before = after;
    priceBefore = priceAfter;
    return [{ logIndex: fact.logIndex, ...change }];
  });
};

/** Points of the last seconds, and the one before them. */
const since = (past: readonly Past[], timestampS: number, windowS: number): readonly Past[] => {
  const start = past.findLastIndex((point) => point.timestampS < timestampS - windowS);
  return past.slice(Math.max(0, start));
};

/** What made something fall in a block: the largest change, and who took part in those of a quarter of it all. */
const fallOf = (changes: readonly Change[], sizeOf: (change: Change) => number) => {
  const falls = changes
    .filter((change) => sizeOf(change) > 0)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const [first] = falls;
  if (!first) return undefined;
  const total = falls.reduce((sum, change) => sum + sizeOf(change), 0);
  const causes = falls.filter((change) => sizeOf(change) >= total / 4);
  return {
    logIndex: first.logIndex,
    wallets: [...new Set(causes.flatMap((change) => change.wallets))],
  };
};

const rugOf = (changes: readonly Change[], past: readonly Past[], timestampS: number) => {
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last) return undefined;
  const peak = Math.max(0, ...since(past, timestampS, WINDOW_S).map(({ reserve }) => reserve));
  const drop = peak > 0 ? 1 - last.after / peak : 0;
  const fall = fallOf(changes, ({ before, after }) => before - after);
  if (drop < 0.25 || last.after >= first.before || !fall) return undefined;
  if ((peak / COIN) * NATIVE_USD < USD_MIN) return undefined;
  return { drop, ...fall };
};

const priceDropOf = (changes: readonly Change[], past: readonly Past[], timestampS: number) => {
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last) return undefined;
  const peak = Math.max(0, ...since(past, timestampS, PRICE_WINDOW_S).map(({ price }) => price));
  const reserves = since(past, timestampS, WINDOW_S).map(({ reserve }) => reserve);
  const held = Math.max(last.after, ...reserves);
  const drop = peak > 0 ? 1 - last.priceAfter / peak : 0;
  const fall = fallOf(changes, ({ priceBefore, priceAfter }) => priceBefore - priceAfter);
  if (drop < 0.01 || last.priceAfter >= first.priceBefore || !fall) return undefined;
  if ((held / COIN) * NATIVE_USD < USD_MIN) return undefined;
  return { drop, ...fall };
};

const burnsOf = (changes: readonly Change[]): Change[] => {
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last || last.after >= first.before) return [];
  return changes.filter(
    ({ isBurn, before, paid }) =>
      isBurn && before > 0 && paid / before >= 0.125 && (before / COIN) * NATIVE_USD >= USD_MIN,
  );
};

const poolEvents = (pool: MarketPool, weth: Hex, blocks: readonly BlockFacts[]): Event[] => {
  const token = pool.token0 === weth ? pool.token1 : pool.token0;
  const past: Past[] = [];
  return blocks.flatMap((block) => {
    const { number, timestampS } = block;
    const changes = changesOf(pool, weth, block, past.at(-1));
    const about = { block: block.hash, number, timestampS, token, subject: pool.address };
    const rug = rugOf(changes, past, timestampS);
    const dropped = priceDropOf(changes, past, timestampS);
    const last = changes.at(-1);
    if (last) past.push({ timestampS, reserve: last.after, price: last.priceAfter });
    const found: Event[] = [];
    if (rug) {
      const { drop, ...fall } = rug;
      const severity = drop >= 0.9 ? 'critical' : 'warning';
      const strength = { strength: drop, severity, change: -round(drop) };
      found.push({ ...about, type: 'rug_pull', ...strength, ...fall });
    }
    if (dropped) {
      const { drop, ...fall } = dropped;
      const severity = drop >= 0.9 ? 'critical' : drop >= 0.5 ? 'warning' : 'info';
      found.push({ ...about, type: 'price_drop', strength: drop, severity, change: null, ...fall });
    }
    for (const { before, paid, logIndex, wallets } of burnsOf(changes)) {
      const strength = paid / before;
      const severity = strength >= 0.5 ? 'warning' : 'info';
      const what = { strength, severity, change: -round(strength), logIndex, wallets };
      found.push({ ...about, type: 'liquidity_removed', ...what });
    }
    return found;
  });
};

const plainEvents = (blocks: readonly BlockFacts[]): Event[] =>
  blocks.flatMap(({ facts, hash, number, timestampS }) =>
    facts.flatMap((fact): Event[] => {
      const about = { block: hash, number, timestampS, change: null, strength: 1 };
      if (fact.kind === 'ownershipTransferred' && fact.previousOwner !== ZERO_ADDRESS) {
        const { contract, previousOwner, newOwner, logIndex } = fact;
        if (previousOwner === newOwner) return [];
        const gone = newOwner === ZERO_ADDRESS;
        const wallets = gone ? [previousOwner] : [previousOwner, newOwner];
        const severity = gone ? 'info' : 'warning';
        const names = { token: contract, subject: contract, wallets };
        return [{ ...about, ...names, type: 'ownership_change', severity, logIndex }];
      }
      if (fact.kind !== 'creation') return [];
      const { contract, creator, txHash } = fact;
      const mint = facts.find(
        (one) => one.kind === 'transfer' && one.token === contract && one.txHash === txHash,
      );
      if (!mint) return [];
      const names = { token: contract, subject: contract, wallets: [creator] };
      const logIndex = logIndexOf(mint);
      return [{ ...about, ...names, type: 'new_token', severity: 'info', logIndex }];
    }),
  );

/** Everything that could make an alert, in the order of the chain. */
const eventsOf = (blocks: readonly BlockFacts[], { pools, weth }: Market): Event[] =>
  [...pools.flatMap((pool) => poolEvents(pool, weth, blocks)), ...plainEvents(blocks)].toSorted(
    (a, b) => a.number - b.number || a.logIndex - b.logIndex,
  );

const concerns = (event: Event, { type, address, alerts, sensitivity }: WatchItem): boolean => {
  const isNamed = type === 'token' ? event.token === address : event.wallets.includes(address);
  if (!isNamed || !alerts.some((kind) => kind === event.type)) return false;
  return event.strength >= (STRENGTH[event.type]?.[sensitivity] ?? 0);
};

const alertOf = (event: Event, watchId: number): ExpectedAlert => {
  const { type, block, logIndex, severity, change } = event;
  return { watchId, type, block, logIndex, severity, change };
};

/** The alerts an item may get at all, repeats included. */
export const possibleAlerts = (blocks: readonly BlockFacts[], item: WatchItem): ExpectedAlert[] =>
  eventsOf(blocks, CAST_MARKET)
    .filter((event) => concerns(event, item))
    .map((event) => alertOf(event, item.id));

/** The alerts an item must get that was there all the time: no repeats within a quarter of an hour. */
export const expectedAlerts = (
  blocks: readonly BlockFacts[],
  item: WatchItem,
  market: Market = CAST_MARKET,
): ExpectedAlert[] => {
  const reported: Event[] = [];
  for (const event of eventsOf(blocks, market).filter((one) => concerns(one, item))) {
    const isRepeat = reported.some(
      (other) =>
        other.type === event.type &&
        other.subject === event.subject &&
        event.timestampS - other.timestampS < REPEAT_S &&
        RANK.indexOf(other.severity) >= RANK.indexOf(event.severity),
    );
    if (!isRepeat) reported.push(event);
  }
  return reported.map((event) => alertOf(event, item.id));
};
