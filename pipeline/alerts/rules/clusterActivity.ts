import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { ClusterChange, ClusterMessage } from '../../../shared/messages/clusterMessage.ts';
import { anyStrength, type Finding, type Rule } from './rule.ts';

/** Risk from which membership of a ring is a warning: where `risk_level` becomes HIGH. */
const RISKY_SCORE = 50;
/** Share of a pool's money lost from which a rug pull is reported to watchers of the ring. */
const DRAINED_SHARE = 0.5;
const LOG_INDEX: Readonly<Record<ClusterChange, number>> = {
  created: 0,
  changed: 1,
  merged: 2,
  split: 3,
  removed: 4,
};

/** Found in messages about rings: `clusterActivity`, `ringActivity`. */
export const clusterRule: Rule = {
  type: 'cluster_activity',
  isOfMessages: true,
  threshold: anyStrength,
  looksAt: "changes of rings; new tokens and drained pools (half or more) of a ring's wallets",
  strength: 'any',
  severity:
    'joined a ring of risk 50 or more: warning AVOID; activities as the activity; else info MONITOR',
};

/** A watched wallet and the ring it is in, or a watched token and the ring of its creator. */
export interface RingMember {
  readonly wallet: Hex;
  /** Tokens that the wallet created, whose watchers are alerted too. */
  readonly tokens: readonly Hex[];
}

/**
 * A ring changed: each of its wallets is reported to its watchers, and each of their tokens to the token's watchers.
 * An alert on a wallet has the wallet in the token's place.
 * @param members wallets of the ring after the change.
 */
export const clusterActivity = (
  message: ClusterMessage,
  members: readonly RingMember[],
): Finding[] => {
  const joined = new Set(message.joined);
  return members.flatMap(({ wallet, tokens }) => {
    const finding = memberFinding(message, wallet, joined.has(wallet));
    return [finding, ...tokens.map((token) => ({ ...finding, token, wallets: [] }))];
  });
};

const memberFinding = (message: ClusterMessage, wallet: Hex, hasJoined: boolean): Finding => {
  const { clusterId, change, size, riskScore, joinedCount, leftCount, trigger } = message;
  const isWarning = hasJoined && riskScore >= RISKY_SCORE;
  return {
    type: 'cluster_activity',
    token: wallet,
    wallets: [wallet],
    strength: 1,
    severity: isWarning ? 'warning' : 'info',
    recommendation: isWarning ? 'AVOID' : 'MONITOR',
    details: {
      cluster_id: clusterId,
      activity: change,
      wallet,
      joined: hasJoined,
      size,
      risk_score: riskScore,
      wallets_joined: joinedCount,
      wallets_left: leftCount,
      tx_hash: trigger.txHash,
      block_number: message.blockNumber,
    },
    txHash: trigger.txHash ?? ZERO_HASH,
    logIndex: LOG_INDEX[change],
  };
};

/** Whether watchers of the wallets' ring are alerted to a finding. */
export const isRingActivity = ({ type, strength, wallets }: Finding): boolean =>
  wallets.length > 0 &&
  (type === 'new_token' || (type === 'rug_pull' && strength >= DRAINED_SHARE));

/** A ring, from the view of a wallet that acted. */
export interface RingOfWallet {
  readonly clusterId: string;
  readonly wallet: Hex;
  /** The other wallets of the ring. */
  readonly mates: readonly Hex[];
}

/** Another wallet of the ring created a token or drained a pool. */
export const ringActivity = (activity: Finding, ring: RingOfWallet): Finding => ({
  type: 'cluster_activity',
  token: activity.token,
  wallets: ring.mates,
  strength: 1,
  severity: activity.severity,
  recommendation: activity.type === 'new_token' ? 'AVOID' : activity.recommendation,
  details: {
    ...activity.details,
    cluster_id: ring.clusterId,
    activity: activity.type,
    wallet: ring.wallet,
  },
  txHash: activity.txHash,
  logIndex: activity.logIndex,
});
