import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/addressSet.ts';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createRowWriter, type RowWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { ReputationStep } from './reputationSteps.ts';
import { seenFromOther, type WalletEdge, walletEdgeKey } from './walletEdges.ts';
import type { WalletRow } from './walletRow.ts';

/** What is stored of a wallet: its row, or nothing any more, and its edges. */
export interface WalletWrite {
  readonly wallet: Hex;
  readonly row: WalletRow | undefined;
  readonly edges: readonly WalletEdge[];
  /** Whether `edges` are all there are: what is stored beside them then has to go. */
  readonly areAllEdges: boolean;
}

/** The tables `dim_wallets`, `wallet_history` and `wallet_edges`, written by this role alone. */
export interface WalletStore {
  /** Makes what is stored of wallets equal to what is; repeating it changes nothing. */
  write(writes: readonly WalletWrite[], version: number): Promise<void>;
}

const stepsSql = `SELECT ${hexText('wallet')} AS wallet_hex, block_number, ${hexText('block_hash')} AS hash,
    log_index, event, ${hexText('token')} AS token_hex
  FROM wallet_history FINAL WHERE chain_id = {chainId:UInt64} AND wallet IN ${inAddresses('wallets')}`;
/** A stored step, as the tombstone that buries it. */
const stepSchema = z
  .object({
    wallet_hex: addressSchema,
    block_number: countSchema,
    hash: hashSchema,
    log_index: countSchema,
    event: z.string(),
    token_hex: addressSchema,
  })
  .transform(
    (row): PlacedStep => ({
      ...NO_STEP,
      wallet: row.wallet_hex,
      block: row.block_number,
      blockHash: row.hash,
      place: row.log_index,
      event: row.event as ReputationStep['event'],
      token: row.token_hex,
    }),
  );

const edgesSql = `SELECT ${hexText('node')} AS node_hex, toString(direction) AS direction_name, kind,
    ${hexText('other')} AS other_hex
  FROM wallet_edges FINAL WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('wallets')}`;
/** A stored edge, as the tombstone that buries it. */
const edgeSchema = z
  .object({
    node_hex: addressSchema,
    direction_name: z.enum(['out', 'in']),
    kind: z.string(),
    other_hex: addressSchema,
  })
  .transform(
    (row): WalletEdge => ({
      ...DELETED_EDGE,
      node: row.node_hex,
      direction: row.direction_name,
      kind: row.kind as WalletEdge['kind'],
      other: row.other_hex,
    }),
  );

const WALLET_COLUMNS = [
  'chain_id',
  'wallet',
  'role',
  'label',
  'is_hub',
  'is_known_scammer',
  'risk_score',
  'reputation_score',
  'confidence',
  'tokens_created',
  'scams',
  'stolen_usd',
  'victims',
  'counterparties',
  'median_token_lifetime_h',
  'funder',
  'funder_kind',
  'funding_tx',
  'cluster_id',
  'first_seen',
  'last_activity',
  'labels',
  'factors',
  'behaviours',
  'updated_at',
  'version',
  'is_deleted',
];
/** Who signs a transaction that moves native currency holds a key: it is no contract. */
const FUNDER_KIND = { unknown: 0, wallet: 1 } as const;

/** A wallet that nothing canonical knows of any more. */
const emptyRow = (wallet: Hex): WalletRow => ({
  wallet,
  role: 'unknown',
  label: '',
  isHub: false,
  isKnownScammer: false,
  riskScore: 0,
  reputationScore: 0,
  confidence: 0,
  tokensCreated: 0,
  scams: 0,
  stolenUsd: 0,
  victims: 0,
  counterparties: 0,
  medianTokenLifetimeH: null,
  funding: null,
  clusterId: '',
  firstSeenS: 0,
  lastActivityS: 0,
  labels: [],
  factors: [],
  behaviours: [],
  steps: [],
});

const encodeWallet = (
  row: RowWriter,
  wallet: WalletRow,
  written: { chainId: number; nowMs: number; version: number; isDeleted: boolean },
): void => {
  row.uint64(written.chainId);
  row.fixed(wallet.wallet);
  row.string(wallet.role);
  row.string(wallet.label);
  row.uint8(wallet.isHub ? 1 : 0);
  row.uint8(wallet.isKnownScammer ? 1 : 0);
  row.float64(wallet.riskScore);
  row.uint8(wallet.reputationScore);
  row.float64(wallet.confidence);
  row.uint32(wallet.tokensCreated);
  row.uint32(wallet.scams);
  row.float64(wallet.stolenUsd);
  row.uint32(wallet.victims);
  row.uint32(wallet.counterparties);
  if (row.nullable(wallet.medianTokenLifetimeH !== null)) {
    row.float64(wallet.medianTokenLifetimeH ?? 0);
  }
  row.fixed(wallet.funding?.funder ?? ZERO_ADDRESS);
  row.uint8(wallet.funding ? FUNDER_KIND.wallet : FUNDER_KIND.unknown);
  row.fixed(wallet.funding?.txHash ?? ZERO_HASH);
  row.string(wallet.clusterId);
  row.uint32(wallet.firstSeenS);
  row.uint32(wallet.lastActivityS);
  row.length(wallet.labels.length);
  for (const label of wallet.labels) row.string(label);
  row.string(JSON.stringify(wallet.factors));
  row.string(JSON.stringify(wallet.behaviours));
  row.uint64(written.nowMs);
  row.uint64(written.version);
  row.uint8(written.isDeleted ? 1 : 0);
};

const STEP_COLUMNS = [
  'chain_id',
  'wallet',
  'block_number',
  'block_hash',
  'log_index',
  'event',
  'token',
  'at',
  'score',
  'delta',
  'role',
  'outcome',
  'stolen_usd',
  'victims',
  'tx_hash',
  'version',
  'is_deleted',
];
type PlacedStep = ReputationStep & { readonly wallet: Hex; readonly isDeleted: boolean };

const encodeStep = (row: RowWriter, step: PlacedStep, chainId: number, version: number): void => {
  row.uint64(chainId);
  row.fixed(step.wallet);
  row.uint64(step.block);
  row.fixed(step.blockHash);
  row.uint32(step.place);
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
  row.uint64(version);
  row.uint8(step.isDeleted ? 1 : 0);
};

const stepKey = (
  wallet: Hex,
  step: Pick<ReputationStep, 'block' | 'blockHash' | 'place' | 'event' | 'token'>,
) => [wallet, step.block, step.blockHash, step.place, step.event, step.token].join(' ');

const EDGE_COLUMNS = [
  'chain_id',
  'node',
  'direction',
  'kind',
  'other',
  'node_is_token',
  'other_is_token',
  'weight',
  'value_usd',
  'tx_count',
  'first_at',
  'last_at',
  'tx_hash',
  'last_block',
  'version',
  'is_deleted',
];
type EdgeEnd = WalletEdge & { readonly nodeIsToken: boolean; readonly isDeleted: boolean };

const encodeEdge = (row: RowWriter, edge: EdgeEnd, chainId: number, version: number): void => {
  row.uint64(chainId);
  row.fixed(edge.node);
  row.uint8(edge.direction === 'out' ? 0 : 1);
  row.string(edge.kind);
  row.fixed(edge.other);
  row.uint8(edge.nodeIsToken ? 1 : 0);
  row.uint8(edge.otherIsToken ? 1 : 0);
  row.float64(edge.weight);
  row.float64(edge.valueUsd);
  row.uint32(edge.count);
  row.uint32(edge.firstS);
  row.uint32(edge.lastS);
  row.fixed(edge.txHash);
  row.uint64(edge.lastBlock);
  row.uint64(version);
  row.uint8(edge.isDeleted ? 1 : 0);
};

const DELETED_EDGE = {
  otherIsToken: false,
  weight: 0,
  valueUsd: 0,
  count: 0,
  firstS: 0,
  lastS: 0,
  txHash: ZERO_HASH,
  lastBlock: 0,
} as const;

const NO_STEP = {
  atS: 0,
  score: 0,
  delta: 0,
  role: '',
  outcome: '',
  stolenUsd: 0,
  victims: 0,
  txHash: ZERO_HASH,
  isDeleted: true,
} as const;

const bothEnds = (edge: WalletEdge, isDeleted: boolean): EdgeEnd[] => [
  { ...edge, nodeIsToken: false, isDeleted },
  { ...seenFromOther(edge), isDeleted },
];

/** Steps that are, and tombstones of stored ones that are no more. */
const stepRows = (
  writes: readonly WalletWrite[],
  stored: readonly z.output<typeof stepSchema>[],
): PlacedStep[] => {
  const wanted = writes.flatMap(({ wallet, row }) =>
    (row?.steps ?? []).map((step) => ({ ...step, wallet, isDeleted: false })),
  );
  const keys = new Set(wanted.map((step) => stepKey(step.wallet, step)));
  return [...wanted, ...stored.filter((step) => !keys.has(stepKey(step.wallet, step)))];
};

/** Edges that are, and tombstones of stored ones that are no more, each under both ends. */
const edgeRows = (
  writes: readonly WalletWrite[],
  stored: readonly z.output<typeof edgeSchema>[],
): EdgeEnd[] => {
  const wanted = new Map(
    writes.map(({ wallet, edges }) => [wallet, new Set(edges.map(walletEdgeKey))]),
  );
  const whole = new Set(writes.flatMap((each) => (each.areAllEdges ? [each.wallet] : [])));
  const stale = stored.filter(
    (edge) => whole.has(edge.node) && !wanted.get(edge.node)?.has(walletEdgeKey(edge)),
  );
  // An edge that one end lost and the other still reports stays: of equal versions the later row counts.
  return [
    ...stale.flatMap((edge) => bothEnds(edge, true)),
    ...writes.flatMap(({ edges }) => edges.flatMap((edge) => bothEnds(edge, false))),
  ];
};

/** The wallets of one chain in ClickHouse. `now`: Unix milliseconds, for `updated_at` alone. */
export const createWalletStore = (
  clickhouse: Clickhouse,
  chainId: number,
  now: () => number,
): WalletStore => {
  const insert = async <T>(
    table: string,
    columns: readonly string[],
    rows: readonly T[],
    encode: (row: RowWriter, value: T) => void,
  ): Promise<void> => {
    if (rows.length === 0) return;
    const writer = createRowWriter();
    for (const value of rows) encode(writer, value);
    await clickhouse.insertBinary(table, columns, writer.finish());
  };
  return {
    write: async (writes, version) => {
      if (writes.length === 0) return;
      const params = { chainId, wallets: writes.map(({ wallet }) => addressParam(wallet)) };
      const [steps, edges] = await Promise.all([
        clickhouse.query(stepsSql, params, stepSchema),
        clickhouse.query(edgesSql, params, edgeSchema),
      ]);
      const nowMs = now();
      await Promise.all([
        insert('wallet_history', STEP_COLUMNS, stepRows(writes, steps), (row, step) =>
          encodeStep(row, step, chainId, version),
        ),
        insert('wallet_edges', EDGE_COLUMNS, edgeRows(writes, edges), (row, edge) =>
          encodeEdge(row, edge, chainId, version),
        ),
      ]);
      await insert('dim_wallets', WALLET_COLUMNS, writes, (row, { wallet, row: stored }) =>
        encodeWallet(row, stored ?? emptyRow(wallet), {
          chainId,
          nowMs,
          version,
          isDeleted: stored === undefined,
        }),
      );
    },
  };
};
