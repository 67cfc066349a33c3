import { z } from 'zod';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { addressParam, inAddresses } from '../../shared/encode/addressSet.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { POINT_READ } from './pointRead.ts';
import type { Database } from './verdict.ts';

const hex = (column: string): string => `concat('0x', lower(hex(${column})))`;

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
  node_hex: addressSchema,
  told_by: z.enum(['token', 'verdict', 'wallet', 'pool']),
  label: z.string(),
  flag: z.number(),
  score: z.number(),
  cluster_id: z.string(),
  creator_hex: addressSchema,
});

const recordOf = (row: z.output<typeof nodeRow>): NodeRecord => {
  switch (row.told_by) {
    case 'token': {
      const creator = row.creator_hex === ZERO_ADDRESS ? undefined : row.creator_hex;
      return { token: { symbol: row.label, creator } };
    }
    case 'verdict': {
      const prediction = row.flag === 1 ? 'SCAM' : 'LEGIT';
      return { verdict: { prediction, confidence: row.score } };
    }
    case 'wallet': {
      const clusterId = row.cluster_id === '' ? null : row.cluster_id;
      return { wallet: { label: row.label, riskScore: row.score, clusterId } };
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
    `SELECT ${hex('node')} AS node_hex, toString(source) AS told_by, label, flag, score, cluster_id,
       ${hex('creator')} AS creator_hex
     FROM graph_nodes FINAL
     WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('addresses')} ${POINT_READ}`,
    { chainId, addresses: addresses.map(addressParam) },
    nodeRow,
  );
  const records = new Map<Hex, NodeRecord>();
  for (const row of rows) {
    records.set(row.node_hex, { ...records.get(row.node_hex), ...recordOf(row) });
  }
  return records;
};
