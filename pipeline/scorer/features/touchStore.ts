import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { type Fact, isOtherMarket } from '../../../shared/chain/fact.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { type CacheUpdate, cacheUpdate, type Reads } from '../readCache.ts';

/** When a token was last touched. */
export interface Touch {
  /** Over all stored facts, Unix seconds. */
  readonly latestS: number;
  /** The last block among the facts that count; undefined if there is none. */
  readonly block: (BlockRef & { readonly timestampS: number }) | undefined;
  /** Over all stored facts, the last block in which the token's ownership changed; 0 if never. */
  readonly ownershipBlock: number;
  /** Over all stored facts, whether any sale of it failed. */
  readonly hasFailedSales: boolean;
}

/** The same, with the token's transfers that count and their transactions. */
export interface CountedTouch extends Touch {
  readonly transfers: number;
  readonly transactions: number;
}

/** A token whose touches are asked for. */
export interface TouchSubject {
  readonly token: Hex;
  /** Its pools against base tokens. */
  readonly pools: readonly Hex[];
  /** Unix seconds after which facts do not count; undefined: all do. */
  readonly asOfS: number | undefined;
}

/** The end of 32-bit time: no fact is later. */
export const FOREVER_S = 2 ** 32 - 1;

/** The requested tokens and pools, as a table from bound parameters. */
const places = `(SELECT toFixedString(unhex(one.1), 20) AS place, one.2 AS is_pool, one.3 AS as_of_s FROM (SELECT arrayJoin(
    arrayZip({places:Array(String)}, {arePools:Array(UInt8)}, {asOfS:Array(UInt32)})) AS one))`;
const IN_PLACES = `IN ${inAddresses('places')} AND block_number <= {upTo:UInt64}`;

/**
 * The last facts of each token or pool; `kind` is 0 for transfers, 1 and 2 for facts of tokens only, 3 for pools
 * only.
 */
const touchesSql = `SELECT ${hexText('f.place')} AS address, toBool(f.is_pool) AS isPool, f.as_of_s AS asOfS, max(f.at) AS latestS,
    maxIf(f.block_number, f.counts) AS number, ${hexText('argMax(f.block_hash, (f.counts, f.block_number))')} AS hash,
    maxIf(f.at, f.counts) AS timestampS, countIf(f.counts AND f.kind = 0) AS transfers, uniqExactIf(f.tx_hash, f.counts AND f.kind = 0) AS transactions,
    maxIf(f.block_number, f.kind = 1) AS ownershipBlock, toBool(max(f.kind = 2)) AS hasFailedSales
  FROM (SELECT p.place AS place, p.is_pool AS is_pool, p.as_of_s AS as_of_s, e.kind AS kind, e.block_number AS block_number,
      e.block_hash AS block_hash, e.tx_hash AS tx_hash, toUnixTimestamp(e.timestamp) AS at, at <= p.as_of_s AS counts
    FROM (SELECT token AS place, block_number, block_hash, timestamp, tx_hash, 0 AS kind FROM fact_transfers FINAL
        WHERE chain_id = {chainId:UInt64} AND token ${IN_PLACES} AND block_number >= {fromBlock:UInt64}
      UNION ALL SELECT contract, block_number, block_hash, timestamp, tx_hash, 1 FROM fact_ownership_transfers FINAL
        WHERE chain_id = {chainId:UInt64} AND contract ${IN_PLACES}
      UNION ALL SELECT token, block_number, block_hash, timestamp, tx_hash, 2 FROM fact_failed_sales FINAL
        WHERE chain_id = {chainId:UInt64} AND token ${IN_PLACES}
      UNION ALL SELECT pool, block_number, block_hash, timestamp, tx_hash, 3 FROM fact_pool_events FINAL
        WHERE chain_id = {chainId:UInt64} AND kind = 'sync' AND pool ${IN_PLACES}) AS e
    INNER JOIN ${places} AS p ON p.place = e.place WHERE e.kind = 0 OR (e.kind = 3) = p.is_pool) AS f
  GROUP BY f.place, f.is_pool, f.as_of_s`;
const touchesSchema = z
  .object({
    address: addressSchema,
    isPool: z.boolean(),
    asOfS: z.number(),
    latestS: z.number(),
    number: z.number(),
    hash: hashSchema,
    timestampS: z.number(),
    transfers: z.number(),
    transactions: z.number(),
    ownershipBlock: z.number(),
    hasFailedSales: z.boolean(),
  })
  .transform(({ number, hash, timestampS, ...row }): [PlaceKey, CountedTouch] => {
    const { address, isPool, asOfS, ...counted } = row;
    const block = number > 0 ? { number, hash, timestampS } : undefined;
    return [keyOf({ address, isPool, asOfS }), { ...counted, block }];
  });

/** A token or a pool, up to a time. */
interface Place {
  readonly address: Hex;
  readonly isPool: boolean;
  readonly asOfS: number;
}
type PlaceKey = `${Hex} ${'pool' | 'token'} ${number}`;

const keyOf = ({ address, isPool, asOfS }: Place): PlaceKey =>
  `${address} ${isPool ? 'pool' : 'token'} ${asOfS}`;

const placesOf = ({ token, pools, asOfS = FOREVER_S }: TouchSubject): Place[] => [
  { address: token, isPool: false, asOfS },
  ...pools.map((address) => ({ address, isPool: true, asOfS })),
];

const NEVER: CountedTouch = {
  latestS: 0,
  block: undefined,
  transfers: 0,
  transactions: 0,
  ownershipBlock: 0,
  hasFailedSales: false,
};

const latest = (touches: readonly Touch[]): Pick<Touch, 'latestS' | 'block'> => {
  const blocks = touches.flatMap(({ block }) => block ?? []);
  const last = blocks.toSorted((a, b) => b.number - a.number)[0];
  const timestampS = Math.max(...blocks.map((block) => block.timestampS));
  return {
    latestS: Math.max(...touches.map(({ latestS }) => latestS)),
    block: last && { ...last, timestampS },
  };
};

/**
 * The last facts that can change the verdict on tokens: their transfers, failed sales, ownership, and for their pools
 * against a base token, Syncs and transfers of liquidity tokens. Absent for a token without any.
 * @param place last block whose facts are stored in full, and the first one whose transfers are read
 */
export const readTouches = async (
  { clickhouse, cache }: Reads,
  { chainId, upTo, fromBlock }: { chainId: number; upTo: number; fromBlock: number },
  subjects: readonly TouchSubject[],
): Promise<Map<Hex, CountedTouch>> => {
  const asked = new Map(subjects.flatMap(placesOf).map((place) => [keyOf(place), place]));
  const found = await cache.read({
    of: fromBlock > 0 ? `touch from ${fromBlock}` : 'touch',
    keys: [...asked.keys()],
    upTo,
    dependsOn: (key) => {
      const place = asked.get(key);
      // Followed from block to block, which only works if all facts count.
      if (!place || place.asOfS !== FOREVER_S || fromBlock > 0) return undefined;
      const { address, isPool } = place;
      const own = [`ownership ${address}`, `failures ${address}`] as const;
      return [`transfers ${address}`, ...(isPool ? ([`events ${address}`] as const) : own)];
    },
    read: async (missing) => {
      const rows = missing.flatMap((key) => asked.get(key) ?? []);
      const params = {
        chainId,
        upTo,
        fromBlock,
        places: rows.map(({ address }) => addressParam(address)),
        arePools: rows.map(({ isPool }) => Number(isPool)),
        asOfS: rows.map(({ asOfS }) => asOfS),
      };
      return new Map(await clickhouse.query(touchesSql, params, touchesSchema));
    },
  });
  return new Map(
    subjects.flatMap((subject) => {
      const [own, ...pools] = placesOf(subject).map((place) => found.get(keyOf(place)));
      const touches = [own, ...pools].filter((touch) => touch !== undefined);
      if (touches.length === 0) return [];
      return [[subject.token, { ...NEVER, ...own, ...latest(touches) }] as const];
    }),
  );
};

/** The tokens and pools that a fact touches. */
const touchedBy = (fact: Fact): Omit<Place, 'asOfS'>[] => {
  if (fact.kind === 'ownershipTransferred') return [{ address: fact.contract, isPool: false }];
  if (fact.kind === 'failedSale') return [{ address: fact.token, isPool: false }];
  if (fact.kind === 'sync') {
    return isOtherMarket(fact) ? [] : [{ address: fact.pool, isPool: true }];
  }
  if (fact.kind !== 'transfer') return [];
  return [true, false].map((isPool) => ({ address: fact.token, isPool }));
};

/** Applies the facts of a stored block to cached touches. */
export const followTouches = ({ number, hash, timestampS, facts }: BlockFacts): CacheUpdate[] => {
  const touches = facts.flatMap((fact) =>
    touchedBy(fact).map((place) => [keyOf({ ...place, asOfS: FOREVER_S }), fact] as const),
  );
  return [...groupBy(touches, ([key]) => key)].map(([key, own]) => {
    const transfers = own.flatMap(([, fact]) => (fact.kind === 'transfer' ? [fact.txHash] : []));
    const isAny = (kind: Fact['kind']): boolean => own.some(([, fact]) => fact.kind === kind);
    return cacheUpdate<CountedTouch>('touch', key, (before = NEVER) => {
      const latestS = Math.max(before.latestS, timestampS);
      return {
        latestS,
        block: { number, hash, timestampS: latestS },
        transfers: before.transfers + transfers.length,
        transactions: before.transactions + new Set(transfers).size,
        ownershipBlock: isAny('ownershipTransferred') ? number : before.ownershipBlock,
        hasFailedSales: before.hasFailedSales || isAny('failedSale'),
      };
    });
  });
};
