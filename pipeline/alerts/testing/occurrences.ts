import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import type { Severity } from '../../../shared/messages/alertMessage.ts';
import type { ClusterMessage } from '../../../shared/messages/clusterMessage.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { AlertType, WatchItem } from '../../../shared/messages/watchMessage.ts';
import type { Random } from '../../../shared/testing/random.ts';
import {
  address,
  burn,
  hash,
  inTx,
  ringChange,
  sale,
  score,
  sync,
  transfer,
  WETH,
} from './chainBuilder.ts';

/** Every pool of a session opens with 1,000 tokens and 100 coins of 2,000 dollars. */
export const OPENING = { tokens: 1_000, base: 100 } as const;

/** What other roles send about the block an occurrence is in. */
export interface Messages {
  readonly score?: ScoreMessage;
  /** Tax that the verdict of the score shows. */
  readonly tax?: number;
  readonly cluster?: ClusterMessage;
}

/** Something that happens to one token or wallet, strongly enough for an alert or not. */
export interface Occurrence {
  readonly facts: readonly Fact[];
  /** The alert due to a watch of medium sensitivity; null where it is too weak. */
  readonly severity: Severity | null;
  readonly watchedAs: WatchItem['type'];
  readonly address: Hex;
  messages?(block: BlockFacts): Messages;
}

/** The names of the `n`-th token, its pool, its creator and a stranger. */
export const namesOf = (n: number) => ({
  tx: `e${n}`,
  token: address(`t${n}`),
  pool: address(`p${n}`),
  creator: address(`c${n}`),
  stranger: address(`s${n}`),
});

type Kind = (n: number, isStrong: boolean, random: Random) => Occurrence;

/** A share between two, in hundredths. */
const between = (random: Random, from: number, to: number): number =>
  (from + random.below(to - from)) / 100;

const onToken = (n: number, facts: readonly Fact[], severity: Severity | null): Occurrence => ({
  facts,
  severity,
  watchedAs: 'token',
  address: namesOf(n).token,
});

/** A share of the pool is taken out. */
const burned = (n: number, share: number): Fact[] => {
  const { tx, pool, stranger } = namesOf(n);
  const [tokens, base] = [OPENING.tokens * share, OPENING.base * share];
  const left = sync(tx, OPENING.tokens - tokens, OPENING.base - base, pool);
  return [left, burn(tx, tokens, base, stranger, pool)];
};

/** A sale along the curve: the price falls by the square of what the base falls. */
const sold = (n: number, seller: Hex, baseShare: number): Fact[] => {
  const { tx, token, pool } = namesOf(n);
  const tokensAfter = OPENING.tokens / (1 - baseShare);
  const paid = OPENING.base * baseShare;
  return [
    transfer(tx, token, seller, pool, tokensAfter - OPENING.tokens),
    sync(tx, tokensAfter, OPENING.base - paid, pool),
    sale(tx, tokensAfter - OPENING.tokens, paid, seller, pool),
  ];
};

const plainTransfer = (n: number): Fact[] => {
  const { tx, token, creator, stranger } = namesOf(n);
  return [transfer(tx, token, creator, stranger)];
};

/** A verdict on the token as of this block. */
const scoreAt = (n: number, block: BlockFacts, changes: Partial<ScoreMessage>): ScoreMessage =>
  score({
    token: namesOf(n).token,
    blockNumber: block.number,
    blockHash: block.hash,
    analyzedAtMs: block.timestampS * 1_000,
    ...changes,
  });

/** Types of alerts whose ground is in the index alone: their tests are in `lockWatch.test.ts`. */
type OfIndex = 'unlock_soon' | 'lock_withdrawn';
export type OccurringType = Exclude<AlertType, OfIndex>;

/** One way to bring about each type of alert that a block or a message is the ground of. */
export const KINDS: Readonly<Record<OccurringType, Kind>> = {
  rug_pull: (n, isStrong, random) => {
    const share = between(random, isStrong ? 51 : 2, isStrong ? 99 : 49) + 0.005;
    return onToken(n, burned(n, share), !isStrong ? null : share >= 0.9 ? 'critical' : 'warning');
  },

  price_drop: (n, isStrong, random) => {
    // Half a hundredth beside: none lies on a threshold, where rounding would decide.
    const drop = between(random, isStrong ? 41 : 2, isStrong ? 99 : 39) + 0.005;
    const facts = sold(n, namesOf(n).stranger, 1 - Math.sqrt(1 - drop));
    const severity = drop > 0.9 ? 'critical' : drop > 0.5 ? 'warning' : 'info';
    return onToken(n, facts, isStrong ? severity : null);
  },

  new_token: (n, isStrong) => {
    const { tx, creator } = namesOf(n);
    const contract = address(`n${n}`);
    const creation: Fact = { kind: 'creation', contract, creator, txHash: hash(tx), txIndex: 0 };
    const first = transfer(tx, contract, ZERO_ADDRESS, creator);
    return {
      facts: isStrong ? [creation, first] : [creation],
      severity: isStrong ? 'info' : null,
      watchedAs: 'wallet',
      address: creator,
    };
  },

  liquidity_removed: (n, isStrong, random) => {
    const share = between(random, isStrong ? 26 : 2, isStrong ? 95 : 24) + 0.005;
    return onToken(n, burned(n, share), !isStrong ? null : share >= 0.5 ? 'warning' : 'info');
  },

  ownership_change: (n, isStrong, random) => {
    const { tx, token: contract, creator, stranger } = namesOf(n);
    const newOwner = random.oneIn(2) ? ZERO_ADDRESS : stranger;
    const severity = newOwner === ZERO_ADDRESS ? 'info' : 'warning';
    const previousOwner = isStrong ? creator : ZERO_ADDRESS;
    const facts: Fact[] = [
      { kind: 'ownershipTransferred', contract, previousOwner, newOwner, ...inTx(tx) },
    ];
    return onToken(n, facts, isStrong ? severity : null);
  },

  /** Before, trading costs nothing. */
  tax_change: (n, isStrong, random) => {
    const tax = isStrong ? between(random, 6, 90) : 0.03;
    const severity = tax >= 0.5 ? 'critical' : tax >= 0.1 ? 'warning' : 'info';
    return {
      ...onToken(n, plainTransfer(n), isStrong ? severity : null),
      messages: (block) => ({ score: scoreAt(n, block, { previousPrediction: 'SCAM' }), tax }),
    };
  },

  /** There are a million of each token. */
  mint: (n, isStrong, random) => {
    const { tx, token, stranger } = namesOf(n);
    const share = isStrong ? between(random, 2, 150) + 0.005 : 0.005;
    const severity = share >= 1 ? 'critical' : share >= 0.1 ? 'warning' : 'info';
    const facts = [transfer(tx, token, ZERO_ADDRESS, stranger, share * 1_000_000)];
    return onToken(n, facts, isStrong ? severity : null);
  },

  large_sell: (n, isStrong, random) => {
    const { creator, stranger } = namesOf(n);
    // Three percent are 6,000 dollars: much for the creator, little of the pool.
    if (!isStrong) return onToken(n, sold(n, stranger, 0.03), null);
    if (random.oneIn(2)) return onToken(n, sold(n, creator, 0.03), 'warning');
    const share = between(random, 6, 40) + 0.005;
    return onToken(n, sold(n, stranger, share), share >= 0.25 ? 'warning' : 'info');
  },

  verdict_change: (n, isStrong, random) => {
    const confidence = between(random, isStrong ? 86 : 50, isStrong ? 99 : 84);
    return {
      ...onToken(n, plainTransfer(n), isStrong ? 'critical' : null),
      messages: (block) => ({ score: scoreAt(n, block, { confidence }) }),
    };
  },

  cluster_activity: (n, isStrong, random) => {
    const { creator, stranger } = namesOf(n);
    const riskScore = random.below(100);
    return {
      facts: plainTransfer(n),
      severity: !isStrong ? null : riskScore >= 50 ? 'warning' : 'info',
      watchedAs: 'wallet',
      address: creator,
      messages: ({ number, hash: blockHash, timestampS }) => ({
        cluster: ringChange({
          clusterId: `ring${n}`,
          joined: [isStrong ? creator : stranger],
          riskScore,
          blockNumber: number,
          blockHash,
          timestampS,
        }),
      }),
    };
  },

  /** The look-alike of a counterparty of the same block; weak where it looks like no counterparty. */
  address_poisoning: (n, isStrong) => {
    const { tx, token, creator } = namesOf(n);
    const deceiver = address(`${isStrong ? 'r' : 'q'}${n}b`);
    return {
      facts: [
        transfer(tx, WETH, creator, address(`r${n}a`), 1),
        transfer(tx, token, creator, deceiver, 0),
      ],
      severity: isStrong ? 'warning' : null,
      watchedAs: 'wallet',
      address: creator,
    };
  },
};
