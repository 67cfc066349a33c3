import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlocksEvent } from '../../../shared/chain/chainEvent.ts';
import { type Fact, isOtherMarket, type PoolCreatedFact } from '../../../shared/chain/fact.ts';

/** The event by which a token was first seen. */
export interface FirstSeen {
  readonly token: Hex;
  readonly source: 'creation' | 'transfer' | 'pairCreated';
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly timestampS: number;
  readonly txHash: Hex;
  /** Its deployer, if a top-level creation showed it. */
  readonly creator: Hex | undefined;
}

/** The tokens and pools that a batch of facts touches. */
export interface Touched {
  /**
   * Contracts that may be tokens, each with the sightings worth examining, in order: the first one, every creation (a
   * pair can precede it), and the first action after one (some only then act like a token).
   */
  readonly firstSeen: ReadonlyMap<Hex, readonly FirstSeen[]>;
  /** Pools with events, each with the highest block that has one. */
  readonly pools: ReadonlyMap<Hex, number>;
  /**
   * Emitters of transfers and ownership changes, and tokens of failed sales, each with the highest block that has
   * one.
   */
  readonly contracts: ReadonlyMap<Hex, number>;
  readonly pairs: readonly { fact: PoolCreatedFact; blockNumber: number; blockHash: Hex }[];
  /** Tokens of created markets of other protocols than Uniswap V2, each with the first market. */
  readonly listed: ReadonlyMap<Hex, FirstSeen>;
}

const firstSeenOf = (fact: Fact): [Hex, FirstSeen['source'], Hex | undefined][] => {
  if (fact.kind === 'creation') return [[fact.contract, 'creation', fact.creator]];
  if (fact.kind === 'transfer') return [[fact.token, 'transfer', undefined]];
  if (fact.kind !== 'poolCreated') return [];
  return [
    [fact.token0, 'pairCreated', undefined],
    [fact.token1, 'pairCreated', undefined],
  ];
};

const listedIn = (events: readonly BlocksEvent[]): Map<Hex, FirstSeen> => {
  const listed = new Map<Hex, FirstSeen>();
  for (const { number, hash, timestampS, facts } of events.flatMap(({ blocks }) => blocks)) {
    for (const fact of facts) {
      if (fact.kind !== 'poolCreated' || !isOtherMarket(fact)) continue;
      const block = { blockNumber: number, blockHash: hash, timestampS };
      const sight = { source: 'pairCreated', ...block, txHash: fact.txHash } as const;
      for (const token of [fact.token0, fact.token1]) {
        if (token === ZERO_ADDRESS || listed.has(token)) continue;
        listed.set(token, { token, ...sight, creator: undefined });
      }
    }
  }
  return listed;
};

/** Collects from events, in stream order, which tokens and pools must be examined again. */
export const touchedBy = (events: readonly BlocksEvent[]): Touched => {
  const firstSeen = new Map<Hex, FirstSeen[]>();
  const pools = new Map<Hex, number>();
  const contracts = new Map<Hex, number>();
  const pairs: { fact: PoolCreatedFact; blockNumber: number; blockHash: Hex }[] = [];
  for (const event of events) {
    for (const block of event.blocks) {
      // A constructor's own Transfer precedes its receipt: the creation is put first because it says more.
      const facts = block.facts.filter((fact) => !isOtherMarket(fact));
      const creations = facts.filter(({ kind }) => kind === 'creation');
      const creationsFirst =
        creations.length === 0
          ? facts
          : [...creations, ...facts.filter(({ kind }) => kind !== 'creation')];
      for (const fact of creationsFirst) {
        for (const [token, source, creator] of firstSeenOf(fact)) {
          const earlier = firstSeen.get(token) ?? [];
          const isNews = earlier.at(-1)?.source === 'creation' || source === 'creation';
          if (earlier.length > 0 && !isNews) continue;
          const { number: blockNumber, hash: blockHash, timestampS } = block;
          const { txHash } = fact;
          const place = { blockNumber, blockHash, timestampS, txHash };
          firstSeen.set(token, [...earlier, { token, source, ...place, creator }]);
        }
        if (fact.kind === 'transfer' || fact.kind === 'failedSale')
          contracts.set(fact.token, block.number);
        else if (fact.kind === 'ownershipTransferred') contracts.set(fact.contract, block.number);
        else if (fact.kind === 'poolCreated') {
          pairs.push({ fact, blockNumber: block.number, blockHash: block.hash });
          pools.set(fact.pool, block.number);
        } else if ('pool' in fact) pools.set(fact.pool, block.number);
      }
    }
  }
  return { firstSeen, pools, contracts, pairs, listed: listedIn(events) };
};
