import type { ChainGraph } from '../graph/chainGraph.ts';
import type { CreateWeighing } from '../graph/growRing.ts';
import type { IsMember } from '../graph/ring.ts';
import { JOIN_MIN } from '../graph/weights.ts';
import { createShareAround, measureNearness, readDealingPairs } from './dealingPairs.ts';

/**
 * Maximum log-odds (natural) in favour of a ring because a wallet transacts with few others: some bystanders do so
 * for other reasons.
 */
const FEW_DEALINGS_MAX = 6;
/**
 * Maximum factor by which repeated or named-purpose payments are considered likelier within a ring than by chance.
 */
const AGAIN_RATIO_MAX = 20;
/**
 * Log-odds (natural) deducted for transactions with likely members of other rings: otherwise a wallet of no ring
 * would merge two rings.
 */
const BEYOND_RING = 4;
/**
 * Log-odds (natural) deducted from every wallet: an innocent wallet in a ring is worse than a missing member.
 */
const INNOCENT_COST = 2;

/** Iterations of message passing between wallets; after the fourth, hardly anything changes. */
const ROUNDS = 3;
/**
 * Assumed wallets of rings per scam deployer. If it is too small, wallets seem less likely to belong to a ring, but
 * each transaction with one weighs more by the same factor, so it hardly matters.
 */
const WALLETS_PER_SCAMMER = 3;
/** Prior log-odds of known scam deployers, and of all other wallets. */
const KNOWN = 20;
const UNKNOWN = -6;
/** Bounds of the share of scammers' transactions that are due to chance. */
const CHANCE_SHARE_MIN = 0.05;
const CHANCE_SHARE_MAX = 0.9;
/** A transaction far in time from all others may still be within a ring: the other evidence decides. */
const WITHIN_MIN = 0.1;
/**
 * Upper ends of the ranges within which transactions count as equally close in time, as probabilities of chance.
 */
const RANGES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1];
/** Transactions less close than this count as chance. */
const APART_MIN = 0.3;
/** Transactions closer than this to each other count as simultaneous. */
const TOGETHER_MAX = 0.003;

const probabilityOf = (odds: number): number => 1 / (1 + Math.exp(-odds));
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const rangeOf = (chance: number): number => RANGES.findIndex((most) => chance <= most);

/**
 * Likelihood ratio of each range for transactions within a ring against chance: by chance, a range contains as many
 * as it is wide. Made monotonic, so that closer ranges never weigh less (pool adjacent violators; Barlow et al.
 * 1972). `weights` are the probabilities of being within a ring.
 */
const fitRatios = (chances: readonly number[], weights: readonly number[]): number[] => {
  const widths = RANGES.map((most, i) => most - (RANGES[i - 1] ?? 0));
  const seen = [...widths];
  chances.forEach((chance, i) => {
    const range = rangeOf(chance);
    seen[range] = (seen[range] as number) + (weights[i] as number);
  });
  const pools: { seen: number; width: number; ranges: number }[] = [];
  widths.forEach((width, i) => {
    let pool = { seen: seen[i] as number, width, ranges: 1 };
    for (let last = pools.at(-1); last; last = pools.at(-1)) {
      if (last.seen * pool.width > pool.seen * last.width) break;
      pools.pop();
      pool = {
        seen: pool.seen + last.seen,
        width: pool.width + last.width,
        ranges: pool.ranges + last.ranges,
      };
    }
    pools.push(pool);
  });
  const all = sumOf(seen);
  return pools.flatMap((pool) => Array<number>(pool.ranges).fill(pool.seen / all / pool.width));
};

/** Data computed once. */
const readDealings = (graph: ChainGraph) => {
  const pairs = readDealingPairs(graph);
  const { endsOf, blocks } = pairs;
  const near = measureNearness(graph, pairs);
  const wallets = [...endsOf.keys()].filter((wallet) => endsOf[wallet]?.length);
  const scammers = wallets.filter(graph.isScammer);
  const others = wallets.filter((wallet) => !graph.isScammer(wallet));
  return {
    graph,
    pairs,
    near,
    /** By pair: closeness to another transaction of either wallet. */
    nearest: blocks.map((_, pair) =>
      Math.min(
        1,
        2 * Math.min(near.toDealings[2 * pair] as number, near.toDealings[2 * pair + 1] as number),
      ),
    ),
    wallets,
    scammers,
    others,
    ringWallets: Math.max(1, Math.min(scammers.length * WALLETS_PER_SCAMMER, wallets.length / 4)),
    /** The ends of scammers. */
    theirs: scammers.flatMap((wallet) => endsOf[wallet] as number[]),
    dealingsOfOthers:
      sumOf(others.map((wallet) => (endsOf[wallet] as number[]).length)) /
      Math.max(1, others.length),
  };
};
type Dealings = ReturnType<typeof readDealings>;

/**
 * Current estimates: `odds` by wallet, `messages` by end (about the wallet on the other side), `within` by pair: the
 * probability that the transaction is within a ring.
 */
interface Beliefs {
  readonly odds: readonly number[];
  readonly messages: readonly number[];
  readonly within: readonly number[];
}

/**
 * Initially only scammers are known, and how close each of their transactions is to another in time. Distant ones are
 * chance, and their number gives the share of chance among close ones (Storey 2002).
 */
const startBeliefs = ({ graph, pairs, nearest, theirs }: Dealings): Beliefs => {
  const chances = theirs.map((end) => nearest[end >> 1] as number);
  const apart = chances.filter((chance) => chance > APART_MIN).length;
  const share = apart / (1 - APART_MIN) / Math.max(1, theirs.length);
  const byChance = Math.min(CHANCE_SHARE_MAX, Math.max(CHANCE_SHARE_MIN, share));
  const ratios = fitRatios(
    chances,
    chances.map(() => 1),
  );
  const within = pairs.blocks.map(() => 0);
  theirs.forEach((end, i) => {
    within[end >> 1] = Math.max(
      WITHIN_MIN,
      1 - byChance / (ratios[rangeOf(chances[i] as number)] as number),
    );
  });
  return {
    odds: pairs.endsOf.map((_, wallet) => (graph.isScammer(wallet) ? KNOWN : UNKNOWN)),
    messages: pairs.across.map(() => 0),
    within,
  };
};

/** Transaction patterns of scammers and others by current estimates. Rates are per pair of wallets. */
const fitRates = (dealings: Dealings, { odds, within }: Beliefs) => {
  const { pairs, near, nearest, wallets, scammers, others, theirs, ringWallets } = dealings;
  const { isAgain, isServed, across } = pairs;
  const weights = theirs.map((end) => within[end >> 1] as number);
  const all = sumOf(weights);
  const inRing = Math.max(0.1, all / Math.max(1, scammers.length));
  const byChance = Math.max(0.05, (theirs.length - all) / Math.max(1, scammers.length));
  const again = theirs.map((end) => (isAgain[end >> 1] ? 1 : 0));
  const againInRing =
    (sumOf(again.map((one, i) => one * (weights[i] as number))) + 0.02) / (all + 1);
  const againByChance =
    (sumOf(again.map((one, i) => one * (1 - (weights[i] as number)))) + 0.02) /
    (theirs.length - all + 1);
  const innocence = others.map((wallet) => 1 - probabilityOf(odds[wallet] as number));
  const servedScammers =
    (scammers.filter((wallet) => isServed[wallet]).length + 1) / (scammers.length + 2);
  const servedOthers =
    (sumOf(others.map((wallet, i) => (isServed[wallet] ? (innocence[i] as number) : 0))) + 1) /
    (sumOf(innocence) + 2);
  return {
    inRing,
    byChance,
    /**
     * Rate of a ring wallet with any wallet, rate of two other wallets, and ratio of the rate within a ring to
     * chance.
     */
    chanceRate: byChance / wallets.length,
    busyRate: dealings.dealingsOfOthers / wallets.length,
    ringRatio: inRing / ringWallets / (byChance / wallets.length),
    nearRatios: fitRatios(
      theirs.map((end) => nearest[end >> 1] as number),
      weights,
    ),
    creationRatios: fitRatios(
      theirs.map((end) => near.toCreations[end ^ 1] as number),
      weights,
    ),
    againRatio: Math.min(AGAIN_RATIO_MAX, againInRing / againByChance),
    onceRatio: (1 - againInRing) / (1 - againByChance),
    servedOdds: Math.log(servedScammers / servedOthers),
    unservedOdds: Math.log((1 - servedScammers) / (1 - servedOthers)),
    isOfScammer: (end: number): boolean => dealings.graph.isScammer(across[end] as number),
  };
};
type Rates = ReturnType<typeof fitRates>;

/**
 * By end: factor by which the other side transacts with more ring wallets than the mean, excluding this transaction:
 * a wallet that pays many members is likelier to pay one more (degree-corrected block model; Karrer and Newman 2011).
 * The mean weighs as much as one transaction: a gamma prior of shape 1.
 */
const measureActivity = (
  { pairs }: Dealings,
  { within }: Beliefs,
  { inRing }: Rates,
): readonly number[] => {
  const sums = pairs.endsOf.map((ends) => sumOf(ends.map((end) => within[end >> 1] as number)));
  return pairs.across.map((other, end) => {
    const further = Math.max(0, (sums[other] as number) - (within[end >> 1] as number));
    return (1 + further) / (1 + inRing);
  });
};

/**
 * Likelihood ratio of a transaction within a ring against chance, as received by the wallet at this end. If two of
 * its transactions are close to each other, that is one coincidence, which each of the two shows in part. Closeness
 * to a transaction and to a creation of the same wallet is one coincidence, too.
 */
const ratioAt = ({ pairs, near, nearest }: Dealings, rates: Rates, end: number): number => {
  const { nearRatios } = rates;
  const either = nearRatios[rangeOf(nearest[end >> 1] as number)] as number;
  const across = nearRatios[rangeOf(Math.min(1, 2 * (near.toDealings[end] as number)))] as number;
  const time = either <= 1 ? either : Math.min(either, Math.max(across, Math.sqrt(either)));
  const creation = rates.isOfScammer(end)
    ? (rates.creationRatios[rangeOf(near.toCreations[end] as number)] as number)
    : 1;
  return (
    rates.ringRatio *
    Math.max(1, time, creation) *
    Math.min(1, time, creation) *
    (pairs.isAgain[end >> 1] ? rates.againRatio : rates.onceRatio)
  );
};

/**
 * Passes estimates of every wallet to those it transacts with (belief propagation in a block model; Decelle et al.
 * 2011).
 */
const propagate = (
  dealings: Dealings,
  rates: Rates,
  ratios: readonly number[],
  before: Beliefs,
): Beliefs => {
  const { endsOf, across, blocks, isServed } = dealings.pairs;
  const { chanceRate, busyRate } = rates;
  /** Log-odds that the wallet on the other side belongs to a ring, without its message about this one. */
  const cavity = (odds: readonly number[], messages: readonly number[], end: number): number =>
    probabilityOf((odds[across[end] as number] as number) - (messages[end ^ 1] as number));
  const messages = across.map((_, end) => {
    const other = cavity(before.odds, before.messages, end);
    const ofRing = other * ((ratios[end] as number) + 1) * chanceRate + (1 - other) * chanceRate;
    return Math.log(ofRing / (other * chanceRate + (1 - other) * busyRate));
  });
  const prior = Math.log(
    dealings.ringWallets / Math.max(1, dealings.wallets.length - dealings.ringWallets),
  );
  const withoutDealings = dealings.dealingsOfOthers - rates.byChance - Math.log(1 + rates.inRing);
  const odds = endsOf.map((ends, wallet) => {
    if (dealings.graph.isScammer(wallet)) return KNOWN;
    const all = ends.map((end) => messages[end] as number);
    const against = withoutDealings + sumOf(all.filter((one) => one <= 0));
    const served = isServed[wallet] ? rates.servedOdds : rates.unservedOdds;
    return (
      prior + served + Math.min(FEW_DEALINGS_MAX, against) + sumOf(all.filter((one) => one > 0))
    );
  });
  const within = blocks.map((_, pair) => {
    const [a, b] = [cavity(odds, messages, 2 * pair), cavity(odds, messages, 2 * pair + 1)];
    const ratio = Math.max(ratios[2 * pair] as number, ratios[2 * pair + 1] as number);
    const ring = a * b * ratio * chanceRate;
    return ring / (ring + (a + b - a * b) * chanceRate + (1 - a) * (1 - b) * busyRate);
  });
  return { odds, messages, within };
};

/**
 * Estimates the probability of every wallet, and the likelihood ratio of each transaction within a ring against
 * chance.
 */
const measureDealings = (graph: ChainGraph) => {
  const dealings = readDealings(graph);
  const { pairs, near } = dealings;
  let beliefs = startBeliefs(dealings);
  let ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const rates = fitRates(dealings, beliefs);
    // Initially the number of ring counterparties is known for scammers only.
    const activity = round === 0 ? [] : measureActivity(dealings, beliefs, rates);
    ratios = pairs.across.map((_, end) => ratioAt(dealings, rates, end) * (activity[end] ?? 1));
    beliefs = propagate(dealings, rates, ratios, beliefs);
  }
  return { pairs, near, ratios, ...beliefs, shareAround: createShareAround(pairs.blocks) };
};
type Measured = ReturnType<typeof measureDealings>;

/**
 * Whether a transaction with a wallet outside a ring is simultaneous with transactions within the ring and with
 * others of that wallet. These are two coincidences, which chance hardly produces for an innocent wallet between two
 * rings, but which the next member of a ring shows. Each transaction is examined separately, so additional ones never
 * turn this false.
 */
const isOneTime = (
  { pairs, near, shareAround }: Measured,
  end: number,
  inner: readonly number[],
): boolean => {
  const { blocks } = pairs;
  const block = blocks[end >> 1] as number;
  return (
    (near.toDealings[end] as number) <= TOGETHER_MAX &&
    inner.some((other) => {
      const at = blocks[other >> 1] as number;
      return shareAround([at], Math.abs(at - block)) <= TOGETHER_MAX;
    })
  );
};

/**
 * Log-odds that a wallet belongs to the same party as the members of a ring, if all facts are known beforehand and
 * transaction patterns of scammers and others can be measured from them. The evidence: number of counterparties,
 * closeness in time to each other and to token creations, repetition, and payments by a service. Random transactions
 * occur at the overall rate, and only what exceeds it is evidence. 0 if no member transacts with the wallet. Never
 * decreases when the ring grows.
 */
const createWeigh = ({ graph, trade }: Parameters<CreateWeighing>[0]) => {
  let measured: Measured | undefined;
  return (wallet: number, isMember: IsMember): number => {
    measured ??= measureDealings(graph);
    const known = measured;
    const { pairs, ratios, odds, messages } = known;
    const { endsOf, across } = pairs;
    let sure = odds[wallet] as number;
    let link = 0;
    const inner: number[] = [];
    const beyond: number[] = [];
    for (const end of endsOf[wallet] ?? []) {
      const [ratio, message] = [ratios[end] as number, messages[end] as number];
      if (isMember(across[end] as number)) {
        link += ratio;
        inner.push(end);
        sure += Math.max(0, Math.log(ratio + 1) - message);
      } else if (message > 0) beyond.push(end);
    }
    const traded = trade.weigh(wallet, isMember);
    if (link === 0 && traded === 0) return 0;
    const apart = beyond.filter((end) => !isOneTime(known, end, inner));
    const elsewhere = sumOf(apart.map((end) => messages[end] as number));
    const ofRing = sure - Math.min(elsewhere, BEYOND_RING) + traded;
    const toThisRing = JOIN_MIN + Math.log(link + Math.exp(traded) - 1);
    return Math.min(ofRing - INNOCENT_COST, toThisRing);
  };
};

/**
 * Wallets of another ring that must have enough evidence to join before the two rings merge: chance may have placed
 * one next to both.
 */
const LINKING_WALLETS_MIN = 2;

/** Weighs evidence by the transaction patterns of scammers and others. */
export const weighByDealings: CreateWeighing = (parts) => ({
  weigh: createWeigh(parts),
  linkingWalletsMin: LINKING_WALLETS_MIN,
});
