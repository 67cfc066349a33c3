import { z } from 'zod';
import { countSchema } from '../../shared/messages/schemas.ts';
import type { IndexThread } from './indexThread.ts';
import type { ChangedWallet } from './openWallets.ts';
import { createRowFeed, type FeedPorts, type FollowedTable, storedRow } from './rowFeed.ts';

const walletRow = storedRow.extend({
  role: z.string(),
  isKnownScammer: z.number(),
  riskScore: z.number(),
  tokensCreated: countSchema,
  scams: countSchema,
  stolenUsd: z.number(),
  clusterId: z.string(),
  firstSeenS: countSchema,
  isDeleted: z.number(),
});
type WalletRow = z.infer<typeof walletRow>;

const WALLETS: FollowedTable<WalletRow> = {
  name: 'dim_wallets',
  address: 'wallet',
  // As its index `stored` has it.
  seq: 'toUnixTimestamp64Micro(r.updated_at)',
  columns: `r.role AS role, r.is_known_scammer AS isKnownScammer, r.risk_score AS riskScore, r.tokens_created AS tokensCreated,
    r.scams AS scams, r.stolen_usd AS stolenUsd, r.cluster_id AS clusterId, toUnixTimestamp(r.first_seen) AS firstSeenS,
    r.is_deleted AS isDeleted`,
  row: walletRow,
  // A process that no longer leads may store a row after one with a higher version.
  changed: 'ORDER BY r.version, r.updated_at',
};

const changedOf = (row: WalletRow): ChangedWallet => ({
  address: row.address,
  wallet: row.isDeleted === 1 ? undefined : row,
});

/** What follows the rows of `dim_wallets`. */
export const createWalletFeed = (ports: FeedPorts, thread: Pick<IndexThread, 'call'>) =>
  createRowFeed(ports, WALLETS, {
    reserve: (wallets) => thread.call('reserveWallets', wallets),
    load: (rows) => thread.call('loadWallets', rows),
    seal: () => thread.call('sealWallets', undefined),
    change: (rows) => thread.call('changeWallets', rows.map(changedOf)),
  });
