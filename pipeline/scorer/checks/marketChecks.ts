import type { Hex } from '../../../shared/chain/block.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { HolderKind } from '../contract/contractProfile.ts';
import { DRAINED_TO_PEAK_MAX } from '../features/creatorRecord.ts';
import type { ValuedPool } from '../features/tokenFeatures.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import {
  addressEvidence,
  type CheckOutcome,
  callRequest,
  type Evidence,
  logsRequest,
  rounded,
  txEvidence,
} from './checkResult.ts';
import { holderKindOf, isRuledByCode } from './contractEvidence.ts';
import { holderShare } from './holderShare.ts';

/**
 * Share of the liquidity whose withdrawal within a week predicts the rest. Of 319 recorded pools of 2020 and 2021
 * that lost this much in a day and still held more than a twentieth of their peak, the share that fell to that within
 * another week was 93 % if younger than a day, 62 % up to a week old, 46 % up to a month, 23 % if older; for a
 * hold-out of 94 (split by creator) 93, 62, 46 and 25 %. Of 56 more that lost it in several parts within a week, none
 * of them a half, 39 % of those up to a month old and 6 % of older ones.
 */
const WITHDRAWN_SHARE_MIN = 0.5;
const GET_RESERVES = selectorOf('getReserves()');
/** Whole native coins that a pool must have held for its loss to matter. */
const PEAK_BASE_MIN = 0.5;

/**
 * Remaining share of the highest reserve. Computed from raw amounts, whose ratio is known even if the base has no
 * price.
 */
const leftOf = ({ stored: { current_base, peak_base } }: ValuedPool): number =>
  Number(peak_base) > 0 ? Number(current_base) / Number(peak_base) : 1;

/** State of the market that ever held most liquidity. */
interface Liquidity {
  /** Remaining share of the highest reserve, and whether it is worth examining. */
  readonly left: number;
  readonly isSmall: boolean;
  /** Evidence for what it holds, and what it lost. */
  readonly held: readonly Evidence[];
  readonly largestDropTx: Hex;
}

const isGone = ({ left, isSmall }: Pick<Liquidity, 'left' | 'isSmall'>): boolean =>
  !isSmall && left <= DRAINED_TO_PEAK_MAX;

/** The share of a pool’s base that is left according to its reserves, and whether the pool was ever large. */
const leftIn = (pool: ValuedPool): Pick<Liquidity, 'left' | 'isSmall'> => ({
  left: leftOf(pool),
  isSmall: pool.peakBase < PEAK_BASE_MIN,
});

/** Whether nearly all of a pool's highest base reserve is gone. */
export const isDrained = (pool: ValuedPool): boolean => isGone(leftIn(pool));

/** Undefined if little is known: no Uniswap V2 pool, and much is left in other markets. */
export const liquidityOf = ({ pool, drain }: CheckInput): Liquidity | undefined => {
  // A market without reserves: what a sale can still take out.
  if (drain) {
    const { peakBase, currentBase, largestDropTx } = drain;
    const left = Math.min(1, currentBase / peakBase);
    return { left, isSmall: peakBase < PEAK_BASE_MIN, held: [], largestDropTx };
  }
  if (!pool) return undefined;
  const { pool_address, last_block, largest_drop_tx: largestDropTx } = pool.stored;
  const note = sentence('atBlock', { call: 'getReserves()', block: String(last_block) });
  const request = callRequest(pool_address, GET_RESERVES, last_block);
  const held = addressEvidence(pool_address, note, request);
  return { ...leftIn(pool), held: [held], largestDropTx };
};

/** Whether the base liquidity of the main pool is gone, or was mostly withdrawn recently. */
export const liquidityDrained = (input: CheckInput): CheckOutcome => {
  const check = { severity: 'critical' } as const;
  const liquidity = liquidityOf(input);
  if (!liquidity) return { ...check, status: 'not_applicable', reason: sentence('noPool') };
  const { left, isSmall, held, largestDropTx } = liquidity;
  const value = rounded(1 - left);
  const evidence = [...held, txEvidence(largestDropTx, sentence('largestFall'))];
  if (isGone(liquidity)) {
    const reason = sentence('poolLost', { share: value });
    return { ...check, status: 'fail', value, reason, evidence };
  }
  const { withdrawnShare: share } = input;
  if (!isSmall && share >= WITHDRAWN_SHARE_MIN && left <= 1 - WITHDRAWN_SHARE_MIN) {
    const reason = sentence('poolWithdrawn', { share, left });
    return { severity: 'warning', status: 'fail', value, reason, evidence };
  }
  const reason = sentence('poolHolds', { share: left });
  return {
    ...check,
    status: 'pass',
    value,
    reason,
    ...(held.length > 0 && { evidence: [...held] }),
  };
};

/** Share of the supply in ten wallets with which they alone can crash the price. */
const CONCENTRATION_MIN = 0.9;
/** Holders below which concentration means nothing: every token begins in one wallet. */
const HOLDERS_MIN = 20;

/**
 * The kind of a contract that has a power over the token and whose holdings are what makes ten wallets hold nearly
 * everything: a multisig treasury, or one with a delay. Undefined if there is none, or they would anyway.
 */
const concentratedIn = ({
  contract,
  largestHolders,
  topTenConcentration,
}: CheckInput): Exclude<HolderKind, 'nobody'> | undefined => {
  if (!contract) return undefined;
  const inContracts = largestHolders.filter(([holder]) => isRuledByCode(contract, holder));
  const share = inContracts.reduce((sum, [, held]) => sum + held, 0);
  const [largest] = inContracts;
  return largest && topTenConcentration - share < CONCENTRATION_MIN
    ? holderKindOf(contract, largest[0])
    : undefined;
};

/** Whether ten wallets hold nearly everything, not counting pools and burn addresses. */
export const holderConcentration = (input: CheckInput): CheckOutcome => {
  const { token, topTenConcentration, holderCount } = input;
  const check = { severity: 'warning' } as const;
  if (holderCount < HOLDERS_MIN) {
    const reason = sentence('fewHolders', { holders: holderCount });
    return { ...check, status: 'unknown', reason };
  }
  if (!input.areBalancesKnown) {
    const reason = sentence('balancesUnknown');
    return { ...check, status: 'unknown', reason };
  }
  const value = rounded(topTenConcentration);
  const reason = sentence('topTenHold', { share: value });
  const request = logsRequest(token, [TOPIC.transfer]);
  const evidence = [addressEvidence(token, sentence('transferLogs'), request)];
  if (value < CONCENTRATION_MIN) return { ...check, status: 'pass', value, reason, evidence };
  const holder = concentratedIn(input);
  return { ...check, status: 'fail', value, ...(holder && { held_by: holder }), reason, evidence };
};

/**
 * Log-odds from which the market accuses a token: drained pools traded like this one three times as often as others.
 * Lower values count, but are common among honest tokens too.
 */
const EVIDENCE_MIN = Math.log(3);
/** Days without an event after which a market is called inactive: inactivity is no safety. */
const IDLE_DAYS_MIN = 7;

/**
 * Whether the main pool trades like pools that were drained within a week. Youth does not count against it: most
 * young pools are drained, so it must look worse than others of its age.
 */
export const marketPattern = ({
  pool,
  protocol,
  modelProbability,
  marketEvidence,
  marketBlock,
  idleDays = 0,
}: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  const isIdle = idleDays >= IDLE_DAYS_MIN;
  const days = Math.floor(idleDays);
  if (!pool) {
    const status = 'unknown';
    if (!protocol) return { ...check, status, reason: sentence('noPoolForModel') };
    const reason = isIdle
      ? sentence('idleNotCovered', { protocol, days })
      : sentence('marketNotCovered', { protocol });
    return { ...check, status, reason };
  }
  const value = rounded(modelProbability);
  const { pool_address } = pool.stored;
  const note = sentence('syncLogs', { block: String(marketBlock) });
  const request = logsRequest(pool_address, [TOPIC.sync], marketBlock);
  const evidence = [addressEvidence(pool_address, note, request)];
  const share = Math.round(modelProbability * 100) / 100;
  const reason = isIdle
    ? sentence('idleMarket', { days, share })
    : sentence(marketEvidence >= 0 ? 'drainedMoreOften' : 'drainedLessOften', {
        share,
        times: Math.round(Math.exp(Math.abs(marketEvidence)) * 10) / 10,
      });
  const status = marketEvidence >= EVIDENCE_MIN ? 'fail' : 'pass';
  return { ...check, status, value, reason, evidence };
};

/** Share of all tokens that gives a buyer control of the price, if bought before anybody else could. */
const SNIPED_SHARE_MIN = 0.1;

/**
 * Whether a large part of the tokens was bought in the block in which the market opened, and how much of that by the
 * creator. Shown with the verdict, without weight: no recorded outcome shows yet how often frauds do it.
 */
const launchSnipe = ({ launch }: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  if (!launch) return { ...check, status: 'not_applicable', reason: sentence('nothingSniped') };
  const { sniped, byCreator, creator, block, txHash } = launch;
  const value = rounded(sniped);
  const values = { share: sniped, own: byCreator, holds: creator, block: String(block) };
  const reason = sentence('sniped', values);
  const evidence = [txEvidence(txHash, sentence('snipedHere'))];
  const status = sniped >= SNIPED_SHARE_MIN ? 'fail' : 'pass';
  return { ...check, status, value, reason, evidence };
};

/** Recipients from which a token is widely spread, and the share of recipients that did not ask for it. */
const UNASKED_MIN = 1_000;
const UNASKED_SHARE_MIN = 0.5;

/**
 * Whether a token without trades was sent to people who never asked for it: of the recipients of equal amounts in one
 * transaction, at most one can be the sender.
 */
export const sentUnasked = ({ spread }: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  if (!spread) return { ...check, status: 'not_applicable', reason: sentence('spreadUnread') };
  const { recipients, unasked, batches, largest_batch: largest } = spread;
  const reason = sentence('sentUnasked', { unasked, recipients });
  if (unasked < UNASKED_MIN || unasked < UNASKED_SHARE_MIN * recipients) {
    return { ...check, status: 'pass', value: unasked, reason };
  }
  const evidence = [txEvidence(largest, sentence('largestBatch', { batches }))];
  return { ...check, status: 'fail', value: unasked, reason, evidence };
};

export const liquidityDrainedCheck = defineCheck({
  id: 'liquidity_drained',
  role: 'liquidity',
  question: { topic: 'liquidity', whenPassed: 'no' },
  // In recorded pools this is six times as frequent among those that were drained within a week as among others of
  // their age.
  failed: { logOdds: 1.8, kind: 'sign' },
  failsIf:
    'the main pool holds at most 5 % of its highest reserve. It is a warning if at least half of the liquidity was withdrawn within the last week and at most half of the highest reserve is left',
  severity: 'critical, warning',
  run: liquidityDrained,
});

export const holderConcentrationCheck = defineCheck({
  id: 'holder_concentration',
  question: { topic: 'holders', whenPassed: 'no' },
  failed: (check) => ({ logOdds: 0.5 * holderShare(check), kind: 'circumstance' }),
  failsIf:
    'ten wallets hold 90 % of the supply. It weighs less if they do so only together with a contract that has a power over the token, such as a multisig treasury',
  severity: 'warning',
  run: holderConcentration,
});

export const marketPatternCheck = defineCheck({
  id: 'market_pattern',
  question: { topic: 'liquidity', whenPassed: 'no', isLastReason: true },
  // Its log-odds are the model's, which are counted per feature.
  failed: { logOdds: 0, kind: 'sign' },
  failsIf: 'the pool trades like drained pools, three times as often as others of its age',
  severity: 'warning',
  run: marketPattern,
});

export const launchSnipeCheck = defineCheck({
  id: 'launch_snipe',
  question: { topic: 'holders', whenPassed: 'no' },
  failsIf:
    '10 % of the supply was bought in the block in which the main market opened; the details give the share of the creator and what it still holds. The check has no weight, since no recorded outcome tells how often frauds do this',
  severity: 'warning',
  run: launchSnipe,
});

export const sentUnaskedCheck = defineCheck({
  id: 'sent_unasked',
  question: { topic: 'holders', whenPassed: 'no' },
  // Honest projects give tokens away too, but mostly to people who claim them.
  failed: { logOdds: 0.8, kind: 'circumstance' },
  failsIf:
    'a token without a market was sent to at least 1,000 addresses, and to at least half of all its recipients, in transactions of at least 20 equal amounts: so many cannot have asked for it',
  severity: 'warning',
  run: sentUnasked,
});
