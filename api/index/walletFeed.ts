import type { IndexThread } from './indexThread.ts';
import type { ChangedWallet } from './openWallets.ts';
import { createRowFeed, type FeedPorts, type FollowedTable, type StoredRow } from './rowFeed.ts';
import { isCount, isNumber, isText, rowSchema, STORED_FIELDS } from './rowSchema.ts';
import type { IndexedWallet } from './walletColumns.ts';

interface WalletRow extends StoredRow, IndexedWallet {
  readonly isDeleted: number;
}
const walletRow = rowSchema<WalletRow>({
  ...STORED_FIELDS,
  role: isText,
  isKnownScammer: isNumber,
  riskScore: isNumber,
  tokensCreated: isCount,
  scams: isCount,
  stolenUsd: isNumber,
  clusterId: isText,
  firstSeenS: isCount,
  isDeleted: isNumber,
});

const WALLETS: FollowedTable<WalletRow> = {
  name: 'dim_wallets',
  address: 'wallet',
  // In the form of its index `stored`.
  seq: 'toUnixTimestamp64Micro(r.updated_at)',
  columns: `r.role AS role, r.is_known_scammer AS isKnownScammer, r.risk_score AS riskScore, r.tokens_created AS tokensCreated,
    r.scams AS scams, r.stolen_usd AS stolenUsd, r.cluster_id AS clusterId, toUnixTimestamp(r.first_seen) AS firstSeenS,
    r.is_deleted AS isDeleted`,
  row: walletRow,
  // A process that lost its lease may store a row after one with a higher version.
  changed: 'ORDER BY r.version, r.updated_at',
};

const changedOf = (row: WalletRow): ChangedWallet => ({
  address: row.address,
  wallet: row.isDeleted === 1 ? undefined : row,
});

/** The feed of `dim_wallets`. */
export const createWalletFeed = (ports: FeedPorts, thread: Pick<IndexThread, 'call'>) =>
  createRowFeed(ports, WALLETS, {
    reserve: (wallets) => thread.call('reserveWallets', wallets),
    load: (rows) => thread.call('loadWallets', rows),
    seal: () => thread.call('sealWallets', undefined),
    change: (rows) => thread.call('changeWallets', rows.map(changedOf)),
  });
