import type { Hex } from '../../../shared/chain/block.ts';
import { poolHolder } from '../pool/poolKind.ts';
import { type Ask, simulate, tryNow } from '../simulation/simulatingNode.ts';
import type { ContractSubject, Power, PrivilegedCaller } from './contractProfile.ts';
import type { ContractState } from './contractState.ts';
import type { Target } from './outsideContracts.ts';
import {
  enteringCalls,
  type ProbeCall,
  type ProbeCast,
  probeCalls,
  standardCalls,
} from './probeCalls.ts';
import { planPower, watchedAround } from './probePlan.ts';
import { failureOf, isBitten, readPayment, readPower } from './readProbe.ts';
import type { Rehearsal } from './rehearsal.ts';
import { type PatchedCode, patchesFor } from './secrets.ts';

/** A token whose buyers may be harmed. */
export interface ProbedToken {
  readonly subject: ContractSubject;
  readonly state: ContractState;
  /** Whether by the code some accounts close sales for those to whom they send tokens. */
  readonly marksRecipients?: boolean;
}

/** Calls per caller tested for acceptance, and accepted calls whose effect is simulated. */
const TRIES_PER_CALLER_MAX = 96;
const EFFECTS_MAX = 48;
/** Tokens of the pool that a call tries to take: three quarters, in the unit in which purchases are counted. */
const POOLED_PARTS = 75_000n;

/** A call by an account. */
type Act = Pick<Power, 'caller' | 'selector' | 'patched' | 'prepared' | 'times'> &
  Pick<ProbeCall, 'data'>;

/** How often a call that takes a little is repeated: even a hundredth adds up to more than half. */
const REPEATED_TIMES = 80;
/**
 * One caller's calls that might prepare others, those of them by which it enters itself in a list, and calls that
 * might be prepared.
 */
const PREPARING_MAX = 24;
const ENTERING_MAX = 8;
const PREPARED_MAX = 24;

/** Accounts and tokens that a call to or about a token may name. */
const castOf = (
  { subject: { pool }, state: { supply } }: ProbedToken,
  { stage: { trader, amount, size }, stranger }: Rehearsal,
  caller: PrivilegedCaller,
): ProbeCast => ({
  caller: caller.address,
  victim: trader,
  stranger,
  supply,
  held: amount,
  pool: pool && {
    holder: poolHolder(pool),
    amount: size > 0n ? (amount * POOLED_PARTS) / size : 0n,
  },
});

/** The calldata with one account replaced by another. */
const naming = (one: Hex, another: Hex, data: string): Hex =>
  data.replaceAll(another.slice(2), one.slice(2)) as Hex;

/**
 * Calls by whether they revert, with replaced code if given. The pool stands in for the buyer because it holds tokens
 * at the head.
 */
export const tryCalls = async (
  ask: Ask,
  probed: ProbedToken,
  { address, functions, callers }: Pick<Target, 'address' | 'functions' | 'callers'>,
  around: Rehearsal,
  patched?: PatchedCode,
): Promise<{ readonly accepted: Act[]; readonly refused: Act[] }> => {
  const { subject, marksRecipients } = probed;
  const { token, pool } = subject;
  const { trader } = around.stage;
  const standIn = pool ? poolHolder(pool) : trader;
  const tries = callers.flatMap((caller) => {
    const beside = address === token ? { gives: marksRecipients } : { token };
    return probeCalls(functions, { ...castOf(probed, around, caller), ...beside })
      .slice(0, TRIES_PER_CALLER_MAX)
      .map((one) => ({ caller, ...one, tried: naming(standIn, trader, one.data) }));
  });
  const outcomes = await tryNow(
    ask,
    address,
    tries.map(({ caller, tried }) => ({ from: caller.address, data: tried })),
    patched,
  );
  const isAccepted = (_one: Act, i: number): boolean => outcomes[i]?.ok === true;
  return {
    accepted: tries.filter(isAccepted),
    refused: tries.filter((one, i) => !isAccepted(one, i)),
  };
};

/** What a call does to buyers, and whether it takes a little from them. */
interface Effect {
  readonly act: Act;
  readonly powers: readonly Power[];
  readonly isBitten: boolean;
}

/** Calldata of the calls: before, and between two readings. */
const sequenceOf = ({ data, prepared, times = 1 }: Act) => ({
  prepared: prepared ? [prepared as Hex] : [],
  acts: Array.from({ length: times }, () => data),
});

/** Effects of calls, one simulation each. @param sequence what is called in place of each */
const effectsOf = async (
  ask: Ask,
  { subject: { token, pool }, state: { supply } }: ProbedToken,
  target: Hex,
  { stage, now, later, stranger }: Rehearsal,
  calls: readonly Act[],
  sequence: (act: Act) => {
    readonly prepared: readonly Hex[];
    readonly acts: readonly Hex[];
  } = sequenceOf,
): Promise<Effect[]> => {
  const tried = calls.slice(0, EFFECTS_MAX).map((act) => {
    const { caller, data, patched } = act;
    const around = watchedAround({
      trader: stage.trader,
      stranger,
      caller: caller.address,
      token,
      target,
      pool: pool && poolHolder(pool),
    });
    const { prepared, acts } = sequence(act);
    const made = { target, caller: caller.address, data, prepared, acts, patched, ...around };
    const context = {
      supply,
      amount: stage.amount,
      watched: around.watched.length,
      hasPool: pool !== undefined,
      spenders: around.spenders.length,
      hasMarket: stage.market !== undefined,
      sale: prepared.length > 0 ? later : now,
      prepared: prepared.length,
      acts: acts.length,
    };
    return { act, plan: planPower(stage, made), context };
  });
  const outcomes = await simulate(
    ask,
    tried.map(({ plan }) => plan.params),
  );
  return tried.map(({ act, plan, context }, i) => {
    const { caller, selector, data, patched, prepared, times } = act;
    const told = {
      ...(prepared && { prepared }),
      ...(times && { times }),
      ...(patched && { patched }),
    };
    const powers = readPower(plan, outcomes[i], context).map((power): Power => {
      const paidIn =
        power.kind === 'mint' ? readPayment(outcomes[i], caller.address, token) : undefined;
      return { ...power, caller, selector, data, ...told, ...(paidIn && { paidIn }) };
    });
    return { act, powers, isBitten: isBitten(plan, outcomes[i], context) };
  });
};

/** The first and the last of some calls, which stand for making all of them in one order and in the other. */
const endsOf = (acts: readonly Act[]): Act[] =>
  [...new Set([acts[0], acts.at(-1)])].flatMap((one) => one ?? []);

/** Data of the calls from one end: a call may undo what another did, and comes last in one of both orders. */
const dataFrom = (end: Act, acts: readonly Act[]): Hex[] =>
  (end === acts[0] ? acts : acts.toReversed()).map(({ data }) => data);

/** The powers that calls show. */
export const effects = async (...args: Parameters<typeof effectsOf>): Promise<Power[]> =>
  (await effectsOf(...args)).flatMap(({ powers }) => powers);

/** The first calls of all functions come before the second ones. */
const functionsInTurn = (acts: readonly Act[]): Act[] => {
  const seen = new Map<Hex, number>();
  const turns = acts.map((act) => {
    const turn = seen.get(act.selector as Hex) ?? 0;
    seen.set(act.selector as Hex, turn + 1);
    return { act, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ act }) => act);
};

/** Accepted calls by which a caller enters itself in a list. */
const enteringActs = async (
  ask: Ask,
  probed: ProbedToken,
  { address, functions }: Pick<Target, 'address' | 'functions'>,
  around: Rehearsal,
  caller: PrivilegedCaller,
): Promise<Act[]> => {
  const cast = castOf(probed, around, caller);
  const acts = enteringCalls(functions, cast).map((one) => ({ caller, ...one }));
  const outcomes = await tryNow(
    ask,
    address,
    acts.map(({ data }) => ({ from: caller.address, data })),
  );
  return acts.filter((_act, i) => outcomes[i]?.ok).slice(0, ENTERING_MAX);
};

/**
 * What a refused or ineffective call does once another call by the same caller has prepared it, a day earlier. All
 * are first simulated together. If that harms a buyer, the search continues for a call that does so after all others,
 * and for a single preparation that is enough.
 */
const preparedActs = async (
  ask: Ask,
  probed: ProbedToken,
  target: Hex,
  around: Rehearsal,
  { preparing, refused }: { readonly preparing: readonly Act[]; readonly refused: readonly Act[] },
): Promise<Act[]> => {
  if (preparing.length === 0) return [];
  const later = [...preparing, ...refused];
  const together = (end: Act) => {
    const prepared = end === later[0] ? preparing : preparing.toReversed();
    return { prepared: prepared.map(({ data }) => data), acts: dataFrom(end, later) };
  };
  const tried = await effectsOf(ask, probed, target, around, endsOf(later), together);
  const harmful = tried.find(({ powers }) => powers.length > 0);
  if (!harmful) return [];
  const { prepared } = together(harmful.act);
  const each = ({ data }: Act) => ({ prepared, acts: [data] });
  const ones = await effectsOf(ask, probed, target, around, later, each);
  const act = ones.find(({ powers }) => powers.length > 0)?.act;
  return act ? preparing.map(({ data }) => ({ ...act, prepared: data })) : [];
};

/**
 * The same for each caller: first with its harmless calls and, if that does not help, by entering itself in lists.
 */
const preparedPowers = async (
  ask: Ask,
  probed: ProbedToken,
  target: Target,
  around: Rehearsal,
  found: { readonly harmless: readonly Act[]; readonly refused: readonly Act[] },
): Promise<Act[]> => {
  if (failureOf(around.later) !== null) return [];
  const prepared: Act[] = [];
  for (const one of target.callers) {
    const own = (acts: readonly Act[], most: number) =>
      functionsInTurn(acts.filter(({ caller }) => caller.address === one.address)).slice(0, most);
    const refused = own(found.refused, PREPARED_MAX);
    const tryAfter = (preparing: readonly Act[]) =>
      preparedActs(ask, probed, target.address, around, { preparing, refused });
    const acts = await tryAfter(own(found.harmless, PREPARING_MAX));
    const isHelped = acts.length > 0 || refused.length === 0;
    const entering = isHelped ? [] : await enteringActs(ask, probed, target, around, one);
    prepared.push(...acts, ...(await tryAfter(entering)));
  }
  return prepared;
};

/**
 * What standard functions do to buyers when a privileged account calls them: all in one simulation first, as they
 * hardly ever do anything.
 */
const standardPowers = async (
  ask: Ask,
  probed: ProbedToken,
  { address, functions, callers }: Omit<Target, 'secrets'>,
  around: Rehearsal,
  patched?: PatchedCode,
): Promise<Power[]> => {
  const acts = callers.flatMap((caller) =>
    standardCalls(functions, castOf(probed, around, caller)).map((one) => ({
      caller,
      ...one,
      ...(patched && { patched }),
    })),
  );
  const actsOf = (caller: PrivilegedCaller) => acts.filter((act) => act.caller === caller);
  const ends = callers.flatMap((caller) => endsOf(actsOf(caller)));
  const together = (end: Act) => ({ prepared: [], acts: dataFrom(end, actsOf(end.caller)) });
  const harmful = await effects(ask, probed, address, around, ends, together);
  const suspects = new Set(harmful.map(({ caller }) => caller));
  const suspected = acts.filter(({ caller }) => suspects.has(caller));
  return effects(ask, probed, address, around, suspected);
};

/**
 * Powers over buyers; if the same call by an address without any role does the same, everybody has the power.
 */
export const powersOverBuyers = async (
  ask: Ask,
  probed: ProbedToken,
  target: Target,
  around: Rehearsal,
): Promise<Power[]> => {
  const { address } = target;
  const { accepted, refused } = await tryCalls(ask, probed, target, around);
  const found = await effectsOf(ask, probed, address, around, accepted);
  const bitten = found.flatMap(({ act, isBitten }) =>
    isBitten ? [{ ...act, times: REPEATED_TIMES }] : [],
  );
  const harmless = found.flatMap(({ act, powers, isBitten }) =>
    powers.length === 0 && !isBitten ? [act] : [],
  );
  const prepared = await preparedPowers(ask, probed, target, around, { harmless, refused });
  const held = [
    ...found.flatMap(({ powers }) => powers),
    ...(await effects(ask, probed, address, around, [...bitten, ...prepared])),
    ...(await standardPowers(ask, probed, target, around)),
  ];
  return [
    ...(await heldBySome(ask, probed, address, around, held)),
    ...(await powersBySecret(ask, probed, target, around)),
  ];
};

/**
 * Powers, the most serious of each function; everybody has those that the same call by an address without any role
 * shows.
 */
export const heldBySome = async (
  ask: Ask,
  probed: ProbedToken,
  target: Hex,
  around: Rehearsal,
  found: readonly Power[],
): Promise<Power[]> => {
  const held = gravest(found);
  const { stranger } = around;
  const caller = { address: stranger, origin: 'anyone' } as const;
  const asAnyone = held.map(({ caller: { address }, ...power }) => ({
    ...power,
    caller,
    data: naming(stranger, address, power.data),
    prepared: power.prepared && naming(stranger, address, power.prepared),
  }));
  const open = await effects(ask, probed, target, around, asAnyone);
  const openAs = ({ kind, value }: Power, i: number): Power | undefined =>
    open.find(
      (one) =>
        one.kind === kind &&
        one.value >= value &&
        one.data === asAnyone[i]?.data &&
        one.prepared === asAnyone[i]?.prepared,
    );
  return gravest(held.map((power, i) => openAs(power, i) ?? power));
};

/**
 * What somebody known to the code by a hash only can do to buyers. With that hash replaced by an unused address's,
 * that address is admitted; what it can do without the replacement, everybody can.
 */
export const powersBySecret = async (
  ask: Ask,
  probed: ProbedToken,
  { address, functions, secrets }: Pick<Target, 'address' | 'functions' | 'secrets'>,
  around: Rehearsal,
): Promise<Power[]> => {
  const caller = { address: around.stranger, origin: 'secret' } as const;
  const patches = patchesFor(secrets, around.stranger);
  if (patches.length === 0) return [];
  const target = { address, functions, callers: [caller] };
  const open = new Set(
    (await tryCalls(ask, probed, target, around)).accepted.map(({ data }) => data),
  );
  const openPowers = await standardPowers(ask, probed, target, around);
  const isOpen = ({ data }: Power): boolean => openPowers.some((one) => one.data === data);
  const found: Power[] = [];
  for (const patched of patches) {
    const { accepted } = await tryCalls(ask, probed, target, around, patched);
    const acts = accepted.filter(({ data }) => !open.has(data)).map((act) => ({ ...act, patched }));
    const standard = await standardPowers(ask, probed, target, around, patched);
    found.push(
      ...(await effects(ask, probed, address, around, acts)),
      ...standard.filter((one) => !isOpen(one)),
    );
  }
  // It is stored with the code: one is enough.
  return gravest(found)
    .toSorted((a, b) => HARMS.indexOf(a.kind) - HARMS.indexOf(b.kind))
    .slice(0, 1);
};

/** Most serious first. */
const HARMS: readonly Power['kind'][] = ['confiscate', 'drain', 'mint', 'freeze', 'tax'];

/** One power of each kind, origin and function: the one with the largest effect. */
export const gravest = (powers: readonly Power[]): Power[] => {
  const best = new Map<string, Power>();
  for (const power of powers) {
    const key = `${power.kind} ${power.caller.address} ${power.selector}`;
    if (power.value > (best.get(key)?.value ?? 0)) best.set(key, power);
  }
  return [...best.values()];
};
