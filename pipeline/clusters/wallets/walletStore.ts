import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { insertNeighbours, type StoredEdge } from '../../../shared/platform/graphNeighbours.ts';
import { createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { type WalletEdge, walletEdgeKey } from './walletEdges.ts';
import type { WalletRow } from './walletRow.ts';

/** The stored state of a wallet: its row, or a deletion, and its edges. */
export interface WalletWrite {
  readonly wallet: Hex;
  readonly row: WalletRow | undefined;
  readonly edges: readonly WalletEdge[];
  /** Whether `edges` are complete: other stored edges must then be deleted. */
  readonly areAllEdges: boolean;
}

const edgesSql = `SELECT ${hexText('n.node')} AS node, toString(n.source) AS source,
    toString(n.direction) AS direction, n.kind AS kind, ${hexText('n.other')} AS other
  FROM graph_neighbours AS n FINAL
  WHERE n.chain_id = {chainId:UInt64} AND n.node IN ${inAddresses('wallets')} AND n.source IN ('edge', 'hub')`;
const edgeRow = z.object({
  node: addressSchema,
  source: z.enum(['edge', 'hub']),
  direction: z.enum(['out', 'in']),
  kind: z.string(),
  other: addressSchema,
});

/** Version of a written row; the database records the time. */
interface Written {
  readonly chainId: number;
  readonly version: number;
}

const writeWallets = createTableWriter<WalletRow & Written>('dim_wallets', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  wallet: (row, { wallet }) => row.fixed(wallet),
  role: (row, { role }) => row.string(role),
  label: (row, { label }) => row.string(label),
  is_hub: (row, { isHub }) => row.uint8(isHub ? 1 : 0),
  is_known_scammer: (row, { isKnownScammer }) => row.uint8(isKnownScammer ? 1 : 0),
  risk_score: (row, { riskScore }) => row.float64(riskScore),
  reputation_score: (row, { reputationScore }) => row.uint8(reputationScore),
  confidence: (row, { confidence }) => row.float64(confidence),
  tokens_created: (row, { tokensCreated }) => row.uint32(tokensCreated),
  scams: (row, { scams }) => row.uint32(scams),
  stolen_usd: (row, { stolenUsd }) => row.float64(stolenUsd),
  victims: (row, { victims }) => row.uint32(victims),
  counterparties: (row, { counterparties }) => row.uint32(counterparties),
  median_token_lifetime_h: (row, { medianTokenLifetimeH }) =>
    row.nullable(medianTokenLifetimeH, (hours) => row.float64(hours)),
  funder: (row, { funding }) => row.fixed(funding?.funder ?? ZERO_ADDRESS),
  // The signer of a transaction that moves native currency has a private key, so it is not a contract.
  funder_kind: (row, { funding }) => row.uint8(funding ? 1 : 0),
  funding_tx: (row, { funding }) => row.fixed(funding?.txHash ?? ZERO_HASH),
  cluster_id: (row, { clusterId }) => row.string(clusterId),
  first_seen: (row, { firstSeenS }) => row.uint32(firstSeenS),
  last_activity: (row, { lastActivityS }) => row.uint32(lastActivityS),
  labels: (row, { labels }) => {
    row.length(labels.length);
    for (const label of labels) row.string(label);
  },
  factors: (row, { factors }) => row.string(JSON.stringify(factors)),
  behaviours: (row, { behaviours }) => row.string(JSON.stringify(behaviours)),
  steps: (row, { steps }) => {
    row.length(steps.length);
    for (const step of steps) {
      row.uint64(step.block);
      row.string(step.event);
      row.fixed(step.token);
      row.uint32(step.atS);
      row.uint8(step.score);
      row.int16(step.delta);
      row.string(step.role);
      row.string(step.outcome);
      row.float64(step.stolenUsd);
      row.uint32(step.victims);
      row.fixed(step.txHash);
    }
  },
  version: (row, { version }) => row.uint64(version),
});
/** Tombstones of wallets that no canonical data mentions any more. */
const deleteWallets = createTableWriter<Written & { readonly wallet: Hex }>('dim_wallets', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  wallet: (row, { wallet }) => row.fixed(wallet),
  version: (row, { version }) => row.uint64(version),
  is_deleted: (row) => row.uint8(1),
});

/** An edge of a wallet, as stored in the table of neighbours. */
const storedEdge = (
  edge: Pick<WalletEdge, 'node' | 'direction' | 'other'> &
    Partial<Omit<WalletEdge, 'kind'>> & { readonly kind: string },
): StoredEdge => {
  const { node, other, direction, otherIsToken, ...rest } = edge;
  const [from, to] = direction === 'out' ? [node, other] : [other, node];
  return { ...rest, source: 'edge', from, to, toIsToken: otherIsToken ?? false };
};

/** Current edges, and tombstones of stored ones that no longer exist; the same for hubs. */
const neighboursOf = (
  writes: readonly WalletWrite[],
  known: readonly z.output<typeof edgeRow>[],
) => {
  const hubs = new Set(writes.flatMap(({ wallet, row }) => (row?.isHub ? [wallet] : [])));
  const wanted = new Map(
    writes.map(({ wallet, edges }) => [wallet, new Set(edges.map(walletEdgeKey))]),
  );
  const whole = new Set(writes.flatMap((each) => (each.areAllEdges ? [each.wallet] : [])));
  const stale = known.filter(
    (edge) =>
      edge.source === 'edge' &&
      whole.has(edge.node) &&
      !wanted.get(edge.node)?.has(walletEdgeKey(edge)),
  );
  const former = known.filter(({ source, node }) => source === 'hub' && !hubs.has(node));
  return {
    // An edge that one end lost and the other still reports is kept: of equal versions the later row wins.
    edges: [
      ...stale.map((edge) => ({ ...storedEdge(edge), isDeleted: true })),
      ...writes.flatMap(({ edges }) => edges.map(storedEdge)),
    ],
    hubs: [
      ...former.map(({ node }) => ({ node, isDeleted: true })),
      ...[...hubs].map((node) => ({ node, isDeleted: false })),
    ],
  };
};

/** The wallets of one chain in ClickHouse. */
export const createWalletStore = (clickhouse: Clickhouse, chainId: number) => ({
  /** Updates the stored state of wallets; idempotent. */
  write: async (writes: readonly WalletWrite[], version: number): Promise<void> => {
    if (writes.length === 0) return;
    const params = { chainId, wallets: writes.map(({ wallet }) => addressParam(wallet)) };
    const edges = await clickhouse.query(edgesSql, params, edgeRow);
    await insertNeighbours(clickhouse, { chainId, version, ...neighboursOf(writes, edges) });
    const of = { chainId, version };
    const rows = writes.flatMap(({ row }) => (row ? [{ ...row, ...of }] : []));
    const gone = writes.filter(({ row }) => !row).map(({ wallet }) => ({ wallet, ...of }));
    await writeWallets(clickhouse, rows);
    await deleteWallets(clickhouse, gone);
  },
});
/** The table `dim_wallets`, and the edges and hubs in `graph_neighbours`: written only by this role. */
export type WalletStore = ReturnType<typeof createWalletStore>;
