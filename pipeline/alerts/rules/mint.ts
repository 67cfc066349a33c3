import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { TransferFact } from '../../../shared/chain/fact.ts';
import type { Sensitivity } from '../../../shared/messages/watchMessage.ts';
import { roundShare } from './amounts.ts';
import type { BlockRule, Finding } from './rule.ts';

/** Share of the supply that one transaction must mint. */
const PRESETS: Readonly<Record<Sensitivity, number>> = { low: 0.1, medium: 0.01, high: 0.001 };
/** Shares by which holders are diluted noticeably, and by half. */
const WARNING_SHARE = 0.1;
const CRITICAL_SHARE = 1;
const SHARE_PRECISION = 1e9;
/** Recipients of the tokens that are examined. */
const RECIPIENTS_MAX = 16;

/**
 * Newly minted tokens: Transfers from the zero address, summed per transaction, relative to the supply when the token
 * was found. The initial supply does not count. If the supply is unknown, every mint raises an alert.
 */
export const mint: BlockRule = {
  type: 'mint',
  threshold: (_thresholds, sensitivity) => PRESETS[sensitivity],
  looksAt: 'Transfers from the zero address',
  strength: "share of the supply at the token's discovery",
  presets: '0.1 / 0.01 / 0.001',
  severity: 'critical SELL_IMMEDIATELY from 1, warning REDUCE_EXPOSURE from 0.1, else info MONITOR',
  notDetected: 'balances raised without a Transfer',
  find: ({ block }) => [...mintsOf(block).values()].map((transfers) => toFinding(transfers, block)),
};

type Transfers = [TransferFact, ...TransferFact[]];

const mintsOf = ({ facts }: BlockFacts): Map<string, Transfers> => {
  const created = new Set<string>();
  for (const fact of facts) {
    if (fact.kind === 'creation') created.add(`${fact.contract}${fact.txHash}`);
  }
  const mints = new Map<string, Transfers>();
  for (const fact of facts) {
    if (fact.kind !== 'transfer' || fact.from !== ZERO_ADDRESS || fact.value === '0x0') continue;
    const key = `${fact.token}${fact.txHash}`;
    if (created.has(key)) continue;
    const known = mints.get(key);
    if (known) known.push(fact);
    else mints.set(key, [fact]);
  }
  return mints;
};

const toFinding = (transfers: Transfers, block: BlockFacts): Finding => {
  const [{ token, txHash, logIndex, to }] = transfers;
  const minted = transfers.reduce((sum, { value }) => sum + BigInt(value), 0n);
  const recipients = new Set(transfers.map((transfer) => transfer.to));
  const finding: Finding = {
    type: 'mint',
    token,
    wallets: [...recipients].slice(0, RECIPIENTS_MAX),
    strength: Number.POSITIVE_INFINITY,
    severity: 'info',
    recommendation: 'MONITOR',
    details: {
      minted: minted.toString(),
      minted_share: null,
      recipient: to,
      recipients: recipients.size,
      tx_hash: txHash,
      block_number: block.number,
    },
    txHash,
    logIndex,
  };
  return { ...finding, withProfile: (profile) => weigh(finding, Number(minted), txHash, profile) };
};

const weigh = (
  finding: Finding,
  minted: number,
  txHash: Hex,
  { createdTx, totalSupply }: Parameters<NonNullable<Finding['withProfile']>>[0],
): Finding | null => {
  if (createdTx === txHash) return null;
  if (!totalSupply) return finding;
  // Both are doubles: a tenth may come out slightly lower.
  const share = Math.round((minted / totalSupply) * SHARE_PRECISION) / SHARE_PRECISION;
  const details = { ...finding.details, minted_share: roundShare(share) };
  const weighed = { ...finding, strength: share, details };
  if (share >= CRITICAL_SHARE) {
    return { ...weighed, severity: 'critical', recommendation: 'SELL_IMMEDIATELY' };
  }
  if (share < WARNING_SHARE) return weighed;
  return { ...weighed, severity: 'warning', recommendation: 'REDUCE_EXPOSURE' };
};
