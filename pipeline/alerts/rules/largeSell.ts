import type { PoolChange, PoolStepOfToken } from '../pools/poolChange.ts';
import { roundShare, roundUsd } from './amounts.ts';
import type { BlockRule, BlockView, Finding } from './rule.ts';

/** US dollars below which no sale raises an alert, whatever the threshold. */
const SALE_USD_MIN = 10;
/** Share of the pool's base that a sale by anyone but the creator must take to concern the token's watchers. */
const POOL_SHARE_MIN = 0.05;
/** The same, from which it is a warning. */
const WARNING_SHARE = 0.25;

/**
 * Tokens were sold for a large amount in one Swap. Threshold: `creator_sell_usd`, US dollars paid out. Watchers of
 * the token are alerted when the creator sold, or when the sale took a twentieth of the pool; watchers of the wallet
 * are alerted to every such sale. The seller is the wallet that gave the pool tokens in that transaction, or was
 * paid: a wallet that trades through a contract is not seen. If the base has no dollar price, no alert is raised.
 */
export const largeSell: BlockRule = {
  type: 'large_sell',
  threshold: ({ creator_sell_usd: usd }) => usd,
  looksAt: '`Swap`',
  strength:
    'US dollars paid out (`creator_sell_usd`); who watches the token is alerted to sales of the creator, and of others from a twentieth of the pool on',
  presets: '5,000 USD',
  severity:
    'warning REDUCE_EXPOSURE for the creator or from a quarter of the pool, else info MONITOR',
  notDetected: 'sellers behind contracts that trade for them; bases without a price',
  find: (view) =>
    view.pools.flatMap((change) => {
      const usd = view.usdPerUnit(change.base);
      if (usd === null) return [];
      return change.steps.flatMap((step) => findIn(step, change, usd, view));
    }),
};

const findIn = (
  step: PoolStepOfToken,
  change: PoolChange,
  usdPerUnit: number,
  { block }: BlockView,
): Finding[] => {
  const soldUsd = step.paid * usdPerUnit;
  if (step.kind !== 'swap' || step.received <= 0 || soldUsd < SALE_USD_MIN) return [];
  const share = step.before > 0 ? step.paid / step.before : 1;
  const isWarning = share >= WARNING_SHARE;
  const finding: Finding = {
    type: 'large_sell',
    token: change.token,
    wallets: step.wallets,
    strength: soldUsd,
    severity: isWarning ? 'warning' : 'info',
    recommendation: isWarning ? 'REDUCE_EXPOSURE' : 'MONITOR',
    details: {
      sold_usd: roundUsd(soldUsd),
      pool_share: roundShare(share),
      seller: step.wallets[0] ?? null,
      pool: change.pool,
      tx_hash: step.txHash,
      block_number: block.number,
    },
    txHash: step.txHash,
    logIndex: step.logIndex,
  };
  const withProfile: Finding['withProfile'] = ({ creator }, watchedAs) => {
    if (step.wallets.includes(creator)) return bySelf(finding, creator);
    return watchedAs === 'token' && share < POOL_SHARE_MIN ? null : finding;
  };
  return [{ ...finding, withProfile }];
};

/** A sale by the token's creator, who knows best what it is worth. */
const bySelf = (finding: Finding, creator: string): Finding => ({
  ...finding,
  severity: 'warning',
  recommendation: 'REDUCE_EXPOSURE',
  details: {
    ...finding.details,
    seller: creator,
    creator_sold_usd: finding.details['sold_usd'] ?? null,
  },
});
