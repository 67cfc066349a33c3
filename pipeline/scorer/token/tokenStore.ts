import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { type TokenNames, tokenNamesSchema } from '../../../shared/messages/jobMessage.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  type EdgeTable,
  insertNeighbours,
  insertNeighbourTombstones,
  type StoredEdge,
} from '../../../shared/platform/graphNeighbours.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { CacheMeter } from '../../../shared/platform/metrics.ts';
import { type ColumnWriters, createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { FirstSeen } from '../ingest/touched.ts';
import { NO_CACHE, type ReadCache } from '../readCache.ts';
import type { TokenRecord } from './confirmToken.ts';
import type { TokenReader } from './tokenReader.ts';

const CREATOR_SOURCE = { unknown: 0, deployment: 1, first_transfer: 2, pair_created: 3 } as const;
const CONFIRMED_BY = { calls: 1, code: 2 } as const;

const COLUMNS: ColumnWriters<TokenRecord> = {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  token: (row, { token }) => row.fixed(token),
  name: (row, { name }) => row.string(name),
  symbol: (row, { symbol }) => row.string(symbol),
  decimals: (row, { decimals }) => row.nullable(decimals, (digits) => row.uint8(digits)),
  total_supply: (row, { totalSupply }) => row.nullable(totalSupply, (raw) => row.uint256(raw)),
  creator: (row, { creator }) => row.fixed(creator),
  creator_source: (row, { creatorSource }) => row.uint8(CREATOR_SOURCE[creatorSource]),
  created_block: (row, { createdBlock }) => row.uint64(createdBlock),
  created_block_hash: (row, { createdBlockHash }) => row.fixed(createdBlockHash),
  created_tx: (row, { createdTx }) => row.fixed(createdTx),
  created_at: (row, { createdAtS }) => row.uint32(createdAtS),
  code_hash: (row, { codeHash }) => row.fixed(codeHash),
  confirmed_by: (row, { confirmedBy }) => row.uint8(CONFIRMED_BY[confirmedBy]),
};
const writeTokens = createTableWriter<TokenRecord & { readonly version: number }>('dim_tokens', {
  ...COLUMNS,
  version: (row, { version }) => row.uint64(version),
  is_deleted: (row) => row.uint8(0),
});

const knownSql = `SELECT ${hexText('t.token')} AS address FROM dim_tokens AS t FINAL
  WHERE t.chain_id = {chainId:UInt64} AND t.token IN ${inAddresses('addresses')}`;

const namesSql = `SELECT t.name AS name, t.symbol AS symbol FROM dim_tokens AS t FINAL
  WHERE t.chain_id = {chainId:UInt64} AND t.token IN ${inAddresses('tokens')}`;

const TOMBSTONES: TombstoneTable = {
  name: 'dim_tokens',
  columns: Object.keys(COLUMNS),
  blockNumber: 'created_block',
  blockHash: 'created_block_hash',
};
const CREATIONS: EdgeTable = {
  ...TOMBSTONES,
  source: 'token',
  kind: "'created'",
  from: 'creator',
  to: 'token',
};

const creationOf = (record: TokenRecord): StoredEdge => ({
  source: 'token',
  kind: 'created',
  from: record.creator,
  to: record.token,
  toIsToken: true,
  weight: 1,
  count: 1,
  firstS: record.createdAtS,
  lastS: record.createdAtS,
  txHash: record.createdTx,
});

/** The table `dim_tokens`, and creators of tokens in `graph_neighbours`. */
export const createTokenStore = (clickhouse: Clickhouse, cache: ReadCache = NO_CACHE) => ({
  /** Those addresses that are confirmed tokens. */
  known: async (chainId: number, addresses: readonly Hex[]): Promise<Set<Hex>> => {
    if (addresses.length === 0) return new Set();
    const params = { chainId, addresses: addresses.map(addressParam) };
    const rows = await clickhouse.query(knownSql, params, z.object({ address: addressSchema }));
    return new Set(rows.map(({ address }) => address));
  },
  /** What a confirmed token is called; undefined where it is none. */
  namesOf: async (chainId: number, token: Hex): Promise<TokenNames | undefined> => {
    const params = { chainId, tokens: [addressParam(token)] };
    const [names] = await clickhouse.query(namesSql, params, tokenNamesSchema);
    return names;
  },
  /** @param records of one chain */
  insert: async (records: readonly TokenRecord[], epoch: number): Promise<void> => {
    const [first] = records;
    if (!first) return;
    const edges = records.filter(({ creator }) => creator !== ZERO_ADDRESS).map(creationOf);
    const { chainId } = first;
    const version = factVersion(epoch);
    const rows = records.map((record) => ({ ...record, version }));
    await cache.write(async () => {
      await insertNeighbours(clickhouse, { chainId, edges, version });
      await writeTokens(clickhouse, rows);
    });
    for (const { token, creator, createdBlock } of records) {
      cache.changed([`token ${token}`, `creator ${creator}`], createdBlock);
    }
  },
  /** Inserts tombstones for the tokens first seen in an orphaned block. */
  insertTombstones: async (reorg: ReorgEvent): Promise<void> => {
    await insertNeighbourTombstones(clickhouse, CREATIONS, reorg);
    await insertTombstones(clickhouse, TOMBSTONES, reorg);
  },
});
/** Storage of confirmed tokens. */
export type TokenStore = ReturnType<typeof createTokenStore>;

/** Tokens and non-tokens cached: some 200 bytes each. */
const REMEMBERED_MAX = 200_000;

/** Knows which contracts are tokens. */
export interface TokenDirectory {
  /** Looks contracts up: cached, stored or, if sighted, read and stored. */
  resolve(
    contracts: readonly Hex[],
    firstSeen: ReadonlyMap<Hex, readonly FirstSeen[]>,
    epoch: number,
  ): Promise<void>;
  /** Whether the contract is a token, once resolved. */
  has(contract: Hex): boolean;
  forget(): void;
}

export const createTokenDirectory = (ports: {
  chainId: number;
  /** Those contracts that look like tokens, are tokens, and are not shares of a pool. */
  withoutPools: (contracts: readonly Hex[], epoch: number) => Promise<ReadonlySet<Hex>>;
  tokens: TokenStore;
  tokenReader: TokenReader;
  logger: Logger;
  rememberedMax?: number;
  meter?: CacheMeter | undefined;
}): TokenDirectory => {
  const { chainId, withoutPools, tokens, tokenReader, logger, meter } = ports;
  const max = ports.rememberedMax ?? REMEMBERED_MAX;
  const known = new LRUCache<Hex, true>({ max });
  const strangers = new LRUCache<Hex, true>({ max });
  /** Reads the first sighting of each contract; for those that are no token yet, the other sightings remain. */
  const confirmFirst = async (
    candidates: readonly (readonly FirstSeen[])[],
    epoch: number,
  ): Promise<(readonly FirstSeen[])[]> => {
    const firsts = candidates.flatMap((firstSeen) => firstSeen.slice(0, 1));
    const results = await tokenReader.read(chainId, firsts);
    const found = results.flatMap((result) => (result.kind === 'token' ? [result.record] : []));
    const offered = await withoutPools(
      found.map(({ token }) => token),
      epoch,
    );
    const records = found.filter(({ token }) => offered.has(token));
    await tokens.insert(records, epoch);
    for (const { token } of records) known.set(token, true);
    for (const [i, { token, source }] of firsts.entries()) {
      // It may still begin to act like a token, as shares of a pool may be traded later.
      if (source === 'creation') strangers.delete(token);
      else if (results[i]?.kind !== 'token') strangers.set(token, true);
    }
    logger.debug({ read: firsts.length, tokens: records.length }, 'candidates read');
    return candidates
      .filter(([first]) => first && !known.has(first.token))
      .map((firstSeen) => firstSeen.slice(1));
  };

  /** The sightings worth examining: for an unknown contract, only those with or after its creation. */
  const worthALook = (token: Hex, firstSeen: readonly FirstSeen[]): readonly FirstSeen[] => {
    if (!strangers.has(token)) return firstSeen;
    const creation = firstSeen.findIndex(({ source }) => source === 'creation');
    return creation < 0 ? [] : firstSeen.slice(creation);
  };

  return {
    resolve: async (contracts, firstSeen, epoch) => {
      const isSettled = (token: Hex): boolean =>
        strangers.has(token) && worthALook(token, firstSeen.get(token) ?? []).length === 0;
      const unknown = contracts.filter((token) => !known.has(token) && !isSettled(token));
      meter?.asked(contracts.length, unknown.length);
      for (const token of await tokens.known(chainId, unknown)) known.set(token, true);
      let candidates = unknown
        .filter((token) => !known.has(token))
        .map((token) => worthALook(token, firstSeen.get(token) ?? []));
      for (;;) {
        candidates = candidates.filter((left) => left.length > 0);
        if (candidates.length === 0) return;
        candidates = await confirmFirst(candidates, epoch);
      }
    },
    has: (contract) => known.has(contract),
    forget: () => {
      known.clear();
      strangers.clear();
    },
  };
};
