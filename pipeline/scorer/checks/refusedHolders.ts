import { isDeepStrictEqual } from 'node:util';
import type { CheckInput, HolderTrials } from './checkInput.ts';
import { canPersonStop } from './contractEvidence.ts';

/** Holders who sold, or cannot sell, from which the cause is not specific to single wallets. */
const WALLETS_MIN = 5;
/** The same for holders who never sold, if all of them are refused, and a new buyer in the same way. */
const OTHERS_MIN = 3;
/**
 * Share of simulated holders who are refused, from which others' sales prove nothing for them if the simulation
 * method is sound.
 */
const REFUSED_SHARE_MIN = 2 / 3;
/** The same if a new buyer is refused with the same message. */
const REFUSED_ALIKE_SHARE_MIN = 1 / 2;
/** The same if one person can stop a wallet's sales by a call: then it was called against these. */
const STOPPED_SHARE_MIN = 1 / 4;
/** Share of simulated holders below which hardly any can sell. */
const SOLD_SHARE_MAX = 0.1;

type RepeatedSales = NonNullable<HolderTrials['repeated']>;

/** Whether, among enough sales, none was sent by the seller named in the token's logs. */
export const isSentByOthers = ({ sales, sent }: RepeatedSales): boolean =>
  sales >= WALLETS_MIN && sent === 0;

/**
 * Whether the simulation method is not what refuses holders: real sales work when repeated, or there were none by
 * real sellers.
 */
const isSound = (repeated: RepeatedSales | undefined): boolean =>
  repeated !== undefined && (repeated.worked > 0 || isSentByOthers(repeated));

/** Whether enough holders were simulated and each of them can sell. */
export const canAllSell = (trials: HolderTrials | undefined): boolean =>
  trials !== undefined && trials.tried >= WALLETS_MIN && trials.refused.length === 0;

/** Whether a new buyer is refused with the same revert message as holders. */
export const isNewRefusedAlike = (
  simulation: CheckInput['simulation'],
  { reason }: HolderTrials,
): boolean =>
  simulation.kind === 'sellFails' && isDeepStrictEqual(simulation.reason.values?.['why'], reason);

/**
 * Whether, as far as known, only time keeps holders from selling: a sale works weeks later, and nobody has made one
 * or failed to.
 */
export const isOnlyEarly = ({
  experience,
  simulation,
  contract,
  saleCount,
}: Pick<CheckInput, 'experience' | 'simulation' | 'contract' | 'saleCount'>): boolean => {
  if (simulation.kind !== 'sellFails' || contract?.probe.kind !== 'done') return false;
  const { trade } = contract.probe;
  const works = trade && trade.laterReason !== null && trade.weeksLaterReason === undefined;
  return works === true && saleCount === 0 && !experience?.failed.length;
};

/**
 * The simulations that show that holders are refused although others sold: five or more never sold, and have held for
 * longer than five others did before selling, so neither a waiting time nor a limit per wallet is the cause. There
 * are two cases. Most are refused and the simulation method is sound: the token lets only some sell, and its creator
 * may have made those sales; a quarter is enough if one person was seen to have the power to stop sales. Or hardly
 * anyone can sell: sales were closed since, which is also shown by a new buyer who is refused in the same way,
 * whoever sold before; three are enough if the new buyer and all who never sold are refused in the same way. If
 * nobody can buy either, trading has stopped for all. If holders are refused through a router only, that router may
 * be to blame, unless it made sales before.
 */
export const refusedBesideSales = ({
  experience,
  trials,
  simulation,
  contract,
}: Pick<CheckInput, 'experience' | 'trials' | 'simulation' | 'contract'>):
  | HolderTrials
  | undefined => {
  const wait = experience?.waits[WALLETS_MIN - 1];
  if (!experience || !trials || wait === undefined || simulation.kind === 'buyFails')
    return undefined;
  const { blockNumber, tried, sold, refused, reason, repeated } = trials;
  const waited = refused.filter((wallet) => {
    const since = experience.heldSince.get(wallet);
    return since !== undefined && blockNumber - since >= wait;
  });
  // If a router made sales before, and a new router now fails in the same way, the router is not the cause.
  const isByRouter =
    reason?.code === 'byRouter' && (simulation.kind !== 'sellFails' || !repeated?.worked);
  const isClosed = sold.length < SOLD_SHARE_MAX * tried && !isByRouter;
  // A real sale still works when repeated, so that no wallet's history is the cause.
  const isAlike = (repeated?.worked ?? 0) > 0 && isNewRefusedAlike(simulation, trials);
  if (isAlike && isClosed && refused.length >= WALLETS_MIN) return trials;
  const areOthers = !sold.some((wallet) => experience.heldSince.has(wallet));
  if (isAlike && areOthers && waited.length >= OTHERS_MIN) return trials;
  if (waited.length < WALLETS_MIN) return undefined;
  const ofAll = isAlike ? REFUSED_ALIKE_SHARE_MIN : REFUSED_SHARE_MIN;
  const shareMin = contract && canPersonStop(contract) ? STOPPED_SHARE_MIN : ofAll;
  const areMany = waited.length >= shareMin * tried && isSound(repeated);
  return areMany || isClosed ? trials : undefined;
};
