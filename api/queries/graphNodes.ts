import assert from 'node:assert/strict';
import { z } from 'zod';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { addressParam, inAddresses } from '../../shared/encode/addressSet.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { CreatorRecord } from '../wallets/creatorReputation.ts';
import { POINT_READ } from './pointRead.ts';
import type { Database } from './verdict.ts';

/** What the index says of an address; each part is unset where it says nothing of the kind. */
export interface NodeRecord {
  /** Of an indexed token: what it calls itself, and who made it where that is known. */
  readonly token?: { readonly symbol: string; readonly creator: Hex | undefined };
  readonly verdict?: { readonly prediction: 'SCAM' | 'LEGIT'; readonly confidence: number };
  /** What the cluster detector says. */
  readonly wallet?: {
    readonly label: string;
    readonly riskScore: number;
    readonly clusterId: string | null;
  };
  readonly isPool?: true;
}

const nodeRow = z.object({
  n: addressSchema,
  told_by: z.enum(['token', 'verdict', 'wallet', 'pool']),
  doc: z.string(),
});

/** What `doc` of the table says: its last part may hold spaces. */
const DOC = /^(?<flag>\d+) (?<score>\S+) (?<cluster>\S+) (?<creator>[0-9a-f]{40}) (?<label>.*)$/s;

const recordOf = ({ told_by: toldBy, doc }: z.output<typeof nodeRow>): NodeRecord => {
  const { flag, score, cluster = '-', creator, label = '' } = DOC.exec(doc)?.groups ?? {};
  assert.ok(creator !== undefined, `unknown form of a node: ${doc}`);
  switch (toldBy) {
    case 'token': {
      const maker: Hex = `0x${creator}`;
      return { token: { symbol: label, creator: maker === ZERO_ADDRESS ? undefined : maker } };
    }
    case 'verdict': {
      const prediction = flag === '1' ? 'SCAM' : 'LEGIT';
      return { verdict: { prediction, confidence: Number(score) } };
    }
    case 'wallet': {
      const clusterId = cluster === '-' ? null : cluster;
      return { wallet: { label, riskScore: Number(score), clusterId } };
    }
    case 'pool':
      return { isPool: true };
  }
};

/** What the index says of addresses: those it knows nothing of are left out. */
export const nodeRecords = async (
  database: Database,
  chainId: number,
  addresses: readonly Hex[],
): Promise<Map<Hex, NodeRecord>> => {
  const rows = await database.query(
    `SELECT concat('0x', lower(hex(node))) AS n, toString(source) AS told_by, doc
     FROM graph_nodes FINAL
     WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('addresses')} ${POINT_READ}`,
    { chainId, addresses: addresses.map(addressParam) },
    nodeRow,
  );
  const records = new Map<Hex, NodeRecord>();
  for (const row of rows) {
    records.set(row.n, { ...records.get(row.n), ...recordOf(row) });
  }
  return records;
};

/** Tokens of one creator that are looked at. */
const MADE_MAX = 10_000;

const madeRow = z.object({
  maker_hex: addressSchema,
  tokens: countSchema,
  judged: countSchema,
  scams: countSchema,
});

/** What some wallets made, of those that made tokens: edges name candidates, nodes tell who made them. */
export const makerRecords = async (
  database: Database,
  chainId: number,
  makers: readonly Hex[],
): Promise<Map<Hex, CreatorRecord>> => {
  const rows = await database.query(
    `SELECT concat('0x', lower(hex(maker))) AS maker_hex, count() AS tokens, sum(verdicts) AS judged, sum(scam_verdicts) AS scams
     FROM (
       SELECT anyIf(creator, source = 'token') AS maker, countIf(source = 'verdict') AS verdicts,
         countIf(source = 'verdict' AND flag = 1) AS scam_verdicts
       FROM graph_nodes FINAL
       WHERE chain_id = {chainId:UInt64} AND source IN ('token', 'verdict') AND node IN (
         SELECT other FROM graph_neighbours
         WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('makers')} AND source = 'token' AND direction = 'out'
         LIMIT ${MADE_MAX} BY node
       ) GROUP BY node
     ) GROUP BY maker ${POINT_READ}`,
    { chainId, makers: makers.map(addressParam) },
    madeRow,
  );
  return new Map(
    rows.map(({ maker_hex: maker, tokens, judged, scams }) => [maker, { tokens, judged, scams }]),
  );
};
