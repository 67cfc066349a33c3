import { type Hex, ZERO_HASH } from '../../shared/chain/block.ts';
import type { BlocksEvent } from '../../shared/chain/chainEvent.ts';
import type { Fact } from '../../shared/chain/fact.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { DAY_S } from '../../shared/platform/durations.ts';
import { blocksEvent } from '../../shared/testing/blocksEvent.ts';
import { createHorizonStore } from '../scorer/horizon/horizonStore.ts';
import { createActivityStore } from '../scorer/ingest/activityStore.ts';
import { createFactStore } from '../scorer/ingest/factStore.ts';
import { createPoolStore } from '../scorer/pool/poolStore.ts';
import { createTokenStore } from '../scorer/token/tokenStore.ts';
import { sampleToken } from '../testing/sampleToken.ts';

const BLOCK_S = 12;
const HOUR_S = 3_600;
const WEI = 10n ** 12n;
const FACTORY: Hex = '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f';

/**
 * Pattern of launches at a time: which share of pools begins with little liquidity, and which of the two kinds are
 * mostly rugs.
 */
export interface Fashion {
  readonly little: number;
  readonly isLittleRug: boolean;
}
/** Share of launches of a kind that follow the pattern. */
const SURE = 0.85;

/** Addresses and hashes of each kind, distinguished by their first digit. */
const hexOf = (kind: string, n: number, digits: number): Hex =>
  `0x${kind}${n.toString(16).padStart(digits - 1, '0')}`;
const quantity = (base: number): Hex => `0x${(BigInt(Math.round(base * 1e6)) * WEI).toString(16)}`;

interface Timed {
  readonly atS: number;
  readonly fact: Fact;
}

/** The facts of one pool's life: a day of trades, then it is drained or survives for a week. */
const lifeOf = (
  { pool, token, weth, bornS }: { pool: Hex; token: Hex; weth: Hex; bornS: number },
  { isLittle, isRug }: { isLittle: boolean; isRug: boolean },
  random: () => number,
): Timed[] => {
  const [token0, token1] = token < weth ? [token, weth] : [weth, token];
  const at = { txHash: ZERO_HASH, txIndex: 0, logIndex: 0, pool, protocol: 'uniswap_v2' as const };
  const created: Fact = { kind: 'poolCreated', ...at, token0, token1, factory: FACTORY };
  const facts: Timed[] = [{ atS: bornS, fact: created }];
  let base = isLittle ? 1 + random() : 3 + 3 * random();
  const product = base * 1e9;
  const sync = (atS: number): void => {
    const [own, other] = [quantity(product / base), quantity(base)];
    const [reserve0, reserve1] = token0 === token ? [own, other] : [other, own];
    facts.push({ atS, fact: { kind: 'sync', ...at, reserve0, reserve1 } });
  };
  sync(bornS);
  for (let i = 1; i <= 20; i += 1) {
    base *= 1 + 0.2 * (random() - 0.45);
    sync(bornS + Math.floor((i / 20) ** 3 * DAY_S * (0.9 + 0.1 * random())) + BLOCK_S);
  }
  if (isRug) {
    base *= 0.01;
    sync(bornS + Math.floor((1.1 + 4 * random()) * DAY_S));
  } else {
    for (let day = 2; day <= 8; day += 1) {
      base *= 1 + 0.1 * (random() - 0.5);
      sync(bornS + day * DAY_S + Math.floor(random() * HOUR_S));
    }
  }
  return facts;
};

/** Facts up to a time, as the watcher publishes them. */
const eventOf = (chainId: number, due: readonly Timed[], untilS: number): BlocksEvent => {
  const blocks = new Map<number, Fact[]>();
  for (const { atS, fact } of due) {
    const number = Math.floor(atS / BLOCK_S);
    const found = blocks.get(number) ?? [];
    blocks.set(number, [...found, { ...fact, logIndex: found.length } as Fact]);
  }
  const blockOf = (number: number) => {
    return { number, hash: hexOf('b', number, 64), timestampS: number * BLOCK_S };
  };
  const number = Math.floor(untilS / BLOCK_S);
  const listed = [...blocks].map(([height, found]) => ({ ...blockOf(height), facts: found }));
  const to = { ...blockOf(number), parentHash: ZERO_HASH };
  return blocksEvent(listed, { chainId, to, head: number });
};

/** A chain on which tokens are launched day by day, whose facts are stored as by the scorer. */
export const createSimulatedLaunches = (ports: {
  clickhouse: Clickhouse;
  chainId: number;
  weth: Hex;
  startS: number;
  random: () => number;
}) => {
  const { clickhouse, chainId, weth, startS, random } = ports;
  const facts = createFactStore(clickhouse);
  let waiting: Timed[] = [];
  let launched = 0;
  let days = 0;

  /** Stores the facts up to a time. */
  const store = async (untilS: number): Promise<void> => {
    const due = waiting.filter(({ atS }) => atS < untilS).toSorted((a, b) => a.atS - b.atS);
    waiting = waiting.filter(({ atS }) => atS >= untilS);
    const event = eventOf(chainId, due, untilS);
    await facts.insert([event]);
    const born = due.flatMap(({ fact }) => (fact.kind === 'poolCreated' ? [fact.pool] : []));
    await createHorizonStore(clickhouse).recordFirstSyncs(chainId, born, 0);
    const { head, to: block } = event;
    const progress = { chainId, epoch: 0, block, head, updatedAtMs: Date.now() };
    await createActivityStore(clickhouse).saveProgress(progress);
  };

  return {
    /** Unix seconds up to which the chain is stored. */
    nowS: (): number => startS + days * DAY_S,
    launched: (): number => launched,
    /** Days of launches with a pattern, including the further lives of earlier launches. */
    advance: async (count: number, perDay: number, fashion: Fashion): Promise<void> => {
      const pools: { pool: Hex; token0: Hex; token1: Hex }[] = [];
      const tokens: Parameters<ReturnType<typeof createTokenStore>['insert']>[0][number][] = [];
      for (let i = 0; i < count * perDay; i += 1) {
        launched += 1;
        const bornS = startS + Math.floor((days + i / perDay) * DAY_S) + BLOCK_S;
        const token = hexOf('1', launched, 40);
        const pool = hexOf('a', launched, 40);
        const isLittle = random() < fashion.little;
        const isRug = random() < SURE === (isLittle === fashion.isLittleRug);
        waiting.push(...lifeOf({ pool, token, weth, bornS }, { isLittle, isRug }, random));
        const [token0, token1] = token < weth ? [token, weth] : [weth, token];
        pools.push({ pool, token0, token1 });
        const createdBlock = Math.floor(bornS / BLOCK_S);
        tokens.push(
          sampleToken(token, {
            chainId,
            creator: hexOf('c', Math.floor(launched / 2), 40),
            createdBlock,
            createdBlockHash: hexOf('b', createdBlock, 64),
            createdAtS: bornS,
          }),
        );
      }
      await createPoolStore(clickhouse).insert(chainId, pools, 0);
      await createTokenStore(clickhouse).insert(tokens, 0);
      days += count;
      await store(startS + days * DAY_S);
    },
  };
};
