import { isDeepStrictEqual } from 'node:util';
import type { CheckInput, HolderTrials } from './checkInput.ts';
import { isPerson, provenPowers } from './contractEvidence.ts';

/** Holders who sold, or cannot sell, from which that is no matter of single wallets. */
const WALLETS_MIN = 5;
/** Holders who never sold, from which that is none where all of them are refused, and a new buyer as they are. */
const OTHERS_MIN = 3;
/** Share of the tried holders who are refused, from which sales of others prove nothing for them where the way of trying is sound. */
const REFUSED_SHARE_MIN = 2 / 3;
/** The same where a call of one person stops sales of a wallet: then it was made against these. */
const STOPPED_SHARE_MIN = 1 / 4;
/** Share of the tried holders below which hardly any can sell. */
const SOLD_SHARE_MAX = 0.1;

type RepeatedSales = NonNullable<HolderTrials['repeated']>;

/** Whether none of enough sales was sent by who the token's logs say sold. */
export const isSentByOthers = ({ sales, sent }: RepeatedSales): boolean =>
  sales >= WALLETS_MIN && sent === 0;

/** Whether the way of trying is not what refuses: sales that were made work when they are tried again, or there were none in truth. */
const isSound = (repeated: RepeatedSales | undefined): boolean =>
  repeated !== undefined && (repeated.worked > 0 || isSentByOthers(repeated));

/** Whether enough holders were tried and each of them can sell. */
export const canAllSell = (trials: HolderTrials | undefined): boolean =>
  trials !== undefined && trials.tried >= WALLETS_MIN && trials.refused.length === 0;

/** Whether a new buyer is refused in the same words as holders, where a sale that was made works when it is tried again: no wallet's own past is the cause. */
const isNewRefusedAlike = (
  simulation: CheckInput['simulation'],
  { reason, repeated }: HolderTrials,
): boolean =>
  simulation.kind === 'sellFails' &&
  (repeated?.worked ?? 0) > 0 &&
  isDeepStrictEqual(simulation.reason.values?.['why'], reason);

/** Whether time alone keeps holders from selling, as far as it is known: a sale works weeks later, and nobody has made one or failed to. */
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

const canBeStopped = (contract: CheckInput['contract']): boolean =>
  contract !== undefined &&
  provenPowers(contract).some(
    ({ kind, caller }) => kind === 'freeze' && isPerson(contract, caller),
  );

/**
 * The trials that show that holders are refused although others sold: five or more never sold, and hold for longer than it took five others to sell,
 * so that neither a waiting time nor a limit for what a wallet sells keeps them. Either most are refused and the way of trying is sound: the token
 * lets only some sell, and whoever made it may have made their sales; a quarter is enough where one person was seen to have the power to stop them. Or hardly anyone can sell: sales were closed since, which is shown by a new
 * buyer too, if he is refused alike, whoever sold before. Three are enough where he and all who never sold are refused alike. Where nobody can buy
 * either, trading has stopped for all, and where holders are refused through a router alone, that may be to blame, unless it made sales before.
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
  // A router that made sales before, as a new one does not make them now, is not what refuses.
  const isByRouter =
    reason?.code === 'byRouter' && (simulation.kind !== 'sellFails' || !repeated?.worked);
  const isClosed = sold.length < SOLD_SHARE_MAX * tried && !isByRouter;
  const isAlike = isNewRefusedAlike(simulation, trials);
  if (isAlike && isClosed && refused.length >= WALLETS_MIN) return trials;
  const areOthers = !sold.some((wallet) => experience.heldSince.has(wallet));
  if (isAlike && areOthers && waited.length >= OTHERS_MIN) return trials;
  if (waited.length < WALLETS_MIN) return undefined;
  const shareMin = canBeStopped(contract) ? STOPPED_SHARE_MIN : REFUSED_SHARE_MIN;
  const areMany = waited.length >= shareMin * tried && isSound(repeated);
  return areMany || isClosed ? trials : undefined;
};
