import type { Hex } from '../../../shared/chain/block.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import { poolHolder } from '../pool/poolKind.ts';
import type { ClockedContract } from '../simulation/callSequence.ts';
import { BLOCK_SECONDS, marketOf } from '../simulation/simulateParams.ts';
import {
  type Ask,
  inBatches,
  isTooLarge,
  randomAddress,
  simulate,
  tryNow,
} from '../simulation/simulatingNode.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type {
  ContractSubject,
  Power,
  PrivilegedCaller,
  Probe,
  StoredStage,
} from './contractProfile.ts';
import type { ContractState } from './contractState.ts';
import { findHinderedSale } from './hinderedSales.ts';
import type { Target } from './outsideContracts.ts';
import {
  type CodeFunction,
  enteringCalls,
  forwardingCalls,
  type ProbeCall,
  probeCalls,
  standardCalls,
} from './probeCalls.ts';
import {
  LATER_S,
  type ProbeStage,
  planDelivery,
  planLaterDelivery,
  planPower,
  planSaleAfter,
  planSaleInProfit,
  WEEKS_LATER_S,
  watchedAround,
} from './probePlan.ts';
import {
  type Delivery,
  failureOf,
  isBitten,
  type ProbedSale,
  readDelivery,
  readLaterDelivery,
  readPayment,
  readPower,
  readSaleAfter,
  readSaleGas,
  readSaleInProfit,
  share,
} from './readProbe.ts';
import { type PatchedCode, patchesFor, type SecretCode } from './secrets.ts';

/** What is tried, and as whom. */
interface ProbeRequest {
  readonly subject: ContractSubject;
  readonly state: ContractState;
  readonly functions: readonly CodeFunction[];
  readonly callers: readonly PrivilegedCaller[];
  /** Whether by the code some accounts close sales for those to whom they send tokens. */
  readonly marksRecipients?: boolean;
  /** Hashes that the token's code compares with. */
  readonly secrets: SecretCode;
  /** Addresses that the token names, where nobody ever was. */
  readonly unborn?: readonly Hex[];
  /** Contracts beside the token that the callers rule. */
  readonly outside?: readonly Target[];
  /** What advances the number of the block for the token, if it reads that. */
  readonly clock?: ClockedContract | undefined;
  /** The hook of the pool. */
  readonly hook?: ProbedHook | undefined;
}

/** A hook, who may control it, and, if it reads the block number, what advances that number for it. */
export interface ProbedHook {
  readonly address: Hex;
  readonly functions: readonly CodeFunction[];
  readonly callers: readonly PrivilegedCaller[];
  readonly secrets: SecretCode;
  readonly clock: ClockedContract | undefined;
}

/** Sizes of the purchase, in 1/100,000 of the base reserve: the second where limits forbid the first. */
const SIZES = [500n, 50n, 10n] as const;
const TRIES_PER_CALLER_MAX = 96;
const EFFECTS_MAX = 48;

const unknown = (reason: Sentence): Probe => ({ kind: 'unknown', reason });
const TOO_LARGE = unknown(sentence('answerTooLarge'));
const NO_ANSWER = unknown(sentence('nodeSilent'));

/** A call as somebody. */
type Act = Pick<Power, 'caller' | 'selector' | 'patched' | 'prepared' | 'times'> &
  Pick<ProbeCall, 'data'>;

/** How often a call is repeated that takes a little: even a hundredth comes to more than half. */
const REPEATED_TIMES = 80;
/** Calls of one caller that might prepare others, those of them by which it enters itself in a list, and others that might be prepared. */
const PREPARING_MAX = 24;
const ENTERING_MAX = 8;
const PREPARED_MAX = 24;

type Trade = NonNullable<Extract<Probe, { kind: 'done' }>['trade']>;

/** The stage with what its purchase and its sales gave. */
interface Rehearsal {
  readonly stage: ProbeStage;
  readonly delivery: Delivery | undefined;
  readonly now: ProbedSale | undefined;
  readonly later: ProbedSale | undefined;
  readonly weeksLater: ProbedSale | undefined;
  /** The same purchase a day later, where this one loses much. */
  readonly laterDelivery: Delivery | undefined;
  /** What keeps a sale from working once the price has risen. */
  readonly profit: Trade['profit'];
  /** What else keeps one from working that works later. */
  readonly hindered?: Trade['hindered'];
  readonly saleGas: number;
}

/** The same, and an address that has nothing to do with anything. */
type Stranger = Rehearsal & { readonly stranger: Hex };

/** Sales of what was bought that come later, or with a profit. */
type LaterSales = Pick<Rehearsal, 'later' | 'weeksLater' | 'profit'>;

/** Part of a purchase that arrives up to which it is looked at whether later ones cost as much. */
const COSTLY_DELIVERED_MAX = 0.9;

/** The purchase, in 1/100,000 of the base reserve, that raises the price to four times as much; where limits forbid it, so many usual ones. */
const RISE_SIZE = 100_000n;
const RISE_PURCHASES = 10;

/** Sales once the price has risen: they may be refused, or taxed away, for the profit. */
const planProfits = (stage: ProbeStage, stranger: Hex) =>
  [
    { size: RISE_SIZE, times: 1 },
    { size: stage.size, times: RISE_PURCHASES },
  ].map((rise) => ({ ...rise, plan: planSaleInProfit(stage, { ...rise, stranger }) }));

/** What keeps the first of these sales from working whose price did rise. */
const readProfits = (
  { amount }: ProbeStage,
  profits: ReturnType<typeof planProfits>,
  answers: readonly Parameters<typeof readSaleInProfit>[1][],
): Trade['profit'] => {
  for (const [i, { plan, size, times }] of profits.entries()) {
    const sale = readSaleInProfit(plan, answers[i], { amount, times });
    if (!sale) continue;
    const reason = failureOf(sale);
    return reason ? { size: String(size), times, reason } : undefined;
  }
  return undefined;
};

/**
 * The same sales of half, after weeks of an eighth, where all of it cannot be sold: of what a wallet holds some may be gone by then, as of money
 * that melts.
 */
const ofLess = async (
  ask: Ask,
  whole: ProbeStage,
  stranger: Hex,
  found: LaterSales,
): Promise<LaterSales> => {
  const { later, weeksLater, profit } = found;
  if (failureOf(later) === null && failureOf(weeksLater) === null && !profit) return found;
  const half = { ...whole, amount: whole.amount / 2n };
  const eighth = { ...whole, amount: whole.amount / 8n };
  const nextDay = planSaleAfter(half, LATER_S);
  const afterWeeks = planSaleAfter(eighth, WEEKS_LATER_S);
  const profits = planProfits(half, stranger);
  const plans = [nextDay, afterWeeks, ...profits.map(({ plan }) => plan)];
  const [dayAnswer, weeksAnswer, ...answers] = await simulate(
    ask,
    plans.map(({ params }) => params),
  );
  const better = (sale: ProbedSale | undefined, before: ProbedSale | undefined) =>
    sale && failureOf(sale) === null ? sale : before;
  return {
    later: better(readSaleAfter(nextDay, dayAnswer, half.amount), later),
    weeksLater: better(readSaleAfter(afterWeeks, weeksAnswer, eighth.amount), weeksLater),
    profit: readProfits(half, profits, answers) && profit,
  };
};

/** What keeps a sale from working that works later, and with a profit. */
const hinderedOf = async (
  ask: Ask,
  stage: ProbeStage,
  { later, weeksLater, profit }: LaterSales,
  unborn: readonly Hex[],
): Promise<Trade['hindered']> => {
  const areSold = [later, weeksLater].every((one) => one !== undefined && failureOf(one) === null);
  return areSold && !profit ? findHinderedSale(ask, stage, unborn) : undefined;
};

/** Buys and sells without anyone's interference. Undefined where the node has no simulations. */
const rehearse = async (
  ask: Ask,
  empty: ProbeStage,
  { stranger, unborn }: { readonly stranger: Hex; readonly unborn: readonly Hex[] },
): Promise<Rehearsal | undefined> => {
  const nothing = {
    delivery: undefined,
    now: undefined,
    later: undefined,
    weeksLater: undefined,
    laterDelivery: undefined,
    profit: undefined,
    saleGas: 0,
  };
  const sizes = empty.market ? SIZES : SIZES.slice(0, 1);
  const plans = sizes.map((size) => planDelivery({ ...empty, size }));
  const answers = await simulate(
    ask,
    plans.map(({ params }) => params),
  );
  if (answers.every(({ ok }) => !ok)) return undefined;
  const deliveries = plans.map((plan, i) => readDelivery(plan, answers[i]));
  const works = deliveries.findIndex((one) => one !== undefined);
  const delivery = deliveries[works];
  if (!delivery) return { stage: { ...empty, market: undefined }, ...nothing };
  const stage = { ...empty, size: sizes[works] ?? 0n, amount: delivery.arrived };
  const sales = [BLOCK_SECONDS, LATER_S, WEEKS_LATER_S].map((delayS) =>
    planSaleAfter(stage, delayS),
  );
  const profits = planProfits(stage, stranger);
  const again = ratio(delivery) <= COSTLY_DELIVERED_MAX ? [planLaterDelivery(stage)] : [];
  const tried = [...sales, ...profits.map(({ plan }) => plan), ...again];
  const outcomes = await simulate(
    ask,
    tried.map(({ params }) => params),
  );
  const [now, later, weeksLater] = sales.map((plan, i) =>
    readSaleAfter(plan, outcomes[i], stage.amount),
  );
  const laterDelivery = again[0] && readLaterDelivery(again[0], outcomes[tried.length - 1]);
  const isSold = now !== undefined && failureOf(now) === null;
  const profit = isSold ? readProfits(stage, profits, outcomes.slice(sales.length)) : undefined;
  const sold = { later, weeksLater, profit };
  const kept = isSold ? await ofLess(ask, stage, stranger, sold) : sold;
  const saleGas = readSaleGas(outcomes[0]);
  const hindered = await hinderedOf(ask, { ...stage, stranger }, kept, unborn);
  return { stage, delivery, now, laterDelivery, saleGas, ...kept, hindered };
};

/** Calls by whether they revert, with other code where some is given. The pool stands in for the buyer, as it holds tokens at the head. */
const tryCalls = async (
  ask: Ask,
  { subject, state, marksRecipients }: ProbeRequest,
  { address, functions, callers }: Pick<Target, 'address' | 'functions' | 'callers'>,
  { stage, stranger }: Stranger,
  patched?: PatchedCode,
): Promise<{ readonly accepted: Act[]; readonly refused: Act[] }> => {
  const isOutside = address !== subject.token;
  const standIn = subject.pool ? poolHolder(subject.pool) : stage.trader;
  const tries = callers.flatMap((caller) => {
    const { address } = caller;
    const { token } = subject;
    const around = { stranger, supply: state.supply, held: stage.amount };
    const cast = {
      caller: address,
      ...around,
      ...(isOutside ? { token } : { gives: marksRecipients }),
    };
    const standIns = probeCalls(functions, { ...cast, victim: standIn });
    return probeCalls(functions, { ...cast, victim: stage.trader })
      .slice(0, TRIES_PER_CALLER_MAX)
      .map((one, i) => ({ caller, ...one, tried: standIns[i]?.data ?? one.data }));
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

/** Data of the calls that are made: before, and between two readings. */
const sequenceOf = ({ data, prepared, times = 1 }: Act) => ({
  prepared: prepared ? [prepared as Hex] : [],
  acts: Array.from({ length: times }, () => data),
});

/** What calls do, one simulation each. @param sequence what is called in place of each */
const effectsOf = async (
  ask: Ask,
  { subject: { token, pool }, state: { supply } }: ProbeRequest,
  target: Hex,
  { stage, now, later, stranger }: Stranger,
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

const effects = async (...args: Parameters<typeof effectsOf>): Promise<Power[]> =>
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

/** Calls that are accepted by which a caller enters itself in a list. */
const enteringActs = async (
  ask: Ask,
  { state: { supply } }: ProbeRequest,
  { address, functions }: Pick<Target, 'address' | 'functions'>,
  { stage, stranger }: Stranger,
  caller: PrivilegedCaller,
): Promise<Act[]> => {
  const cast = { caller: caller.address, victim: stage.trader, stranger, supply, held: 0n };
  const acts = enteringCalls(functions, cast).map((one) => ({ caller, ...one }));
  const outcomes = await tryNow(
    ask,
    address,
    acts.map(({ data }) => ({ from: caller.address, data })),
  );
  return acts.filter((_act, i) => outcomes[i]?.ok).slice(0, ENTERING_MAX);
};

/**
 * What a call that is refused, or does nothing, does once another one of the same caller has prepared it, a day before. All are tried at once; where that harms a buyer, one is
 * looked for that does so after all others, and one of those that is enough.
 */
const preparedActs = async (
  ask: Ask,
  request: ProbeRequest,
  target: Hex,
  around: Stranger,
  { preparing, refused }: { readonly preparing: readonly Act[]; readonly refused: readonly Act[] },
): Promise<Act[]> => {
  if (preparing.length === 0) return [];
  const later = [...preparing, ...refused];
  const all = preparing.map(({ data }) => data);
  // What prepares another may undo that when it is called again: it comes last in one of these orders.
  const orders = [later, later.toReversed()];
  const together = (first: Act) => ({
    prepared: all,
    acts: (first === later[0] ? later : later.toReversed()).map(({ data }) => data),
  });
  const firsts = orders.flatMap(([first]) => first ?? []);
  const harms = await effects(ask, request, target, around, firsts, together);
  if (harms.length === 0) return [];
  const each = ({ data }: Act) => ({ prepared: all, acts: [data] });
  const ones = await effectsOf(ask, request, target, around, later, each);
  const act = ones.find(({ powers }) => powers.length > 0)?.act;
  return act ? preparing.map(({ data }) => ({ ...act, prepared: data })) : [];
};

/** The same of each caller: by what it does without harm, and, where that does not help, by entering itself in lists. */
const preparedPowers = async (
  ask: Ask,
  request: ProbeRequest,
  target: Target,
  around: Stranger,
  found: { readonly harmless: readonly Act[]; readonly refused: readonly Act[] },
): Promise<Act[]> => {
  if (failureOf(around.later) !== null) return [];
  const prepared: Act[] = [];
  for (const one of target.callers) {
    const own = (acts: readonly Act[], most: number) =>
      functionsInTurn(acts.filter(({ caller }) => caller.address === one.address)).slice(0, most);
    const refused = own(found.refused, PREPARED_MAX);
    const tryAfter = (preparing: readonly Act[]) =>
      preparedActs(ask, request, target.address, around, { preparing, refused });
    const acts = await tryAfter(own(found.harmless, PREPARING_MAX));
    const isHelped = acts.length > 0 || refused.length === 0;
    const entering = isHelped ? [] : await enteringActs(ask, request, target, around, one);
    prepared.push(...acts, ...(await tryAfter(entering)));
  }
  return prepared;
};

/** What standard functions do to buyers when a privileged account calls them: all at once first, as they hardly ever do anything. */
const standardPowers = async (
  ask: Ask,
  request: ProbeRequest,
  { address, functions, callers }: Target,
  around: Stranger,
): Promise<Power[]> => {
  const { stage, stranger } = around;
  const ofCallers = callers.map((caller) => {
    const cast = { caller: caller.address, victim: stage.trader, stranger };
    const sums = { supply: request.state.supply, held: stage.amount };
    return standardCalls(functions, { ...cast, ...sums }).map((one) => ({ caller, ...one }));
  });
  const together = ({ caller }: Act) => ({
    prepared: [],
    acts: ofCallers.flatMap((acts) =>
      acts.flatMap((act) => (act.caller === caller ? [act.data] : [])),
    ),
  });
  const firsts = ofCallers.flatMap(([first]) => first ?? []);
  const harmful = await effects(ask, request, address, around, firsts, together);
  const suspects = new Set(harmful.map(({ caller }) => caller));
  const acts = ofCallers.flat().filter(({ caller }) => suspects.has(caller));
  return effects(ask, request, address, around, acts);
};

/** Powers over buyers; where the same call of an address without any role does the same, those are everybody's. */
const powersOverBuyers = async (
  ask: Ask,
  request: ProbeRequest,
  target: Target,
  around: Stranger,
): Promise<Power[]> => {
  const { address } = target;
  const { accepted, refused } = await tryCalls(ask, request, target, around);
  const found = await effectsOf(ask, request, address, around, accepted);
  const bitten = found.flatMap(({ act, isBitten }) =>
    isBitten ? [{ ...act, times: REPEATED_TIMES }] : [],
  );
  const harmless = found.flatMap(({ act, powers, isBitten }) =>
    powers.length === 0 && !isBitten ? [act] : [],
  );
  const prepared = await preparedPowers(ask, request, target, around, { harmless, refused });
  const held = [
    ...found.flatMap(({ powers }) => powers),
    ...(await effects(ask, request, address, around, [...bitten, ...prepared])),
    ...(await standardPowers(ask, request, target, around)),
  ];
  return [
    ...(await heldBySome(ask, request, address, around, held)),
    ...(await powersBySecret(ask, request, target, around)),
  ];
};

/** Powers, the gravest of each function; those are everybody's that the same call of an address without any role gives. */
const heldBySome = async (
  ask: Ask,
  request: ProbeRequest,
  target: Hex,
  around: Stranger,
  found: readonly Power[],
): Promise<Power[]> => {
  const held = gravest(found);
  const caller = { address: around.stranger, origin: 'anyone' } as const;
  const asAnyone = held.map((power) => ({ ...power, caller, data: power.data as Hex }));
  const open = await effects(ask, request, target, around, asAnyone);
  const isSame = (one: Power, { kind, data, value }: Power): boolean =>
    one.kind === kind && one.data === data && one.value >= value;
  return gravest(held.map((power) => open.find((one) => isSame(one, power)) ?? power));
};

/**
 * What somebody can do to buyers whom the code knows by a hash alone. With that hash replaced by the one of an unused address, this one is let in; what it
 * can do without that is everybody's.
 */
const powersBySecret = async (
  ask: Ask,
  request: ProbeRequest,
  { address, functions, secrets }: Pick<Target, 'address' | 'functions' | 'secrets'>,
  around: Stranger,
): Promise<Power[]> => {
  const caller = { address: around.stranger, origin: 'secret' } as const;
  const patches = patchesFor(secrets, around.stranger);
  if (patches.length === 0) return [];
  const target = { address, functions, callers: [caller] };
  const open = new Set(
    (await tryCalls(ask, request, target, around)).accepted.map(({ data }) => data),
  );
  const found: Power[] = [];
  for (const patched of patches) {
    const { accepted } = await tryCalls(ask, request, target, around, patched);
    const acts = accepted.filter(({ data }) => !open.has(data)).map((act) => ({ ...act, patched }));
    found.push(...(await effects(ask, request, address, around, acts)));
  }
  // It is kept with the code: one is enough.
  return gravest(found)
    .toSorted((a, b) => HARMS.indexOf(a.kind) - HARMS.indexOf(b.kind))
    .slice(0, 1);
};

/** From the gravest on. */
const HARMS: readonly Power['kind'][] = ['confiscate', 'drain', 'mint', 'freeze', 'tax'];

/** What those behind the token can do to buyers by way of other contracts. */
const powersFromOutside = async (
  ask: Ask,
  request: ProbeRequest,
  around: Stranger,
): Promise<Power[]> => {
  const found: Power[] = [];
  for (const target of request.outside ?? []) {
    const powers = await powersOverBuyers(ask, request, target, around);
    found.push(...powers.map((power) => ({ ...power, target: target.address })));
  }
  return found;
};

/**
 * Powers of a contract that somebody else can make it use at once are that one's: what answers like a timelock may act for a wallet without any
 * delay. The function remains that of the token.
 */
const asTheirRulers = async (
  ask: Ask,
  request: ProbeRequest,
  around: Stranger,
  powers: readonly Power[],
): Promise<Power[]> => {
  const found: Power[] = [];
  for (const { address: target, functions, callers } of request.outside ?? []) {
    const acts = powers
      .filter(({ caller }) => caller.address === target)
      .flatMap(({ selector, data }) => {
        const calls = forwardingCalls(functions, request.subject.token, data as Hex);
        return callers.flatMap((caller) =>
          calls.map((one) => ({ caller, selector, data: one.data })),
        );
      });
    const powersFound = await effects(ask, request, target, around, acts);
    const theirs = await heldBySome(ask, request, target, around, powersFound);
    found.push(...theirs.map((power) => ({ ...power, target })));
  }
  const isSame = (one: Power, { kind, selector }: Power) =>
    one.kind === kind && one.selector === selector;
  return powers.map((power) => {
    const theirs = found.find((one) => isSame(one, power) && one.target === power.caller.address);
    return theirs ?? power;
  });
};

/** What those who rule a hook can do to sales. */
const powersOver = async (
  ask: Ask,
  request: ProbeRequest,
  hook: ProbedHook,
  around: Stranger,
): Promise<Power[]> => {
  const { accepted } = await tryCalls(ask, request, hook, around);
  const powers = [
    ...(await powersBySecret(ask, request, hook, around)),
    ...(await effects(ask, request, hook.address, around, accepted)),
  ];
  return gravest(powers.filter(({ kind }) => kind === 'freeze' || kind === 'tax'));
};

const tradeOf = (rehearsal: Rehearsal) => {
  const { delivery, now, later, weeksLater, laterDelivery, profit, hindered, saleGas } = rehearsal;
  if (!delivery || !now) return delivery ? { ...UNREAD_TRADE, delivered: ratio(delivery) } : null;
  const laterReason = failureOf(later);
  const weeksLaterReason = failureOf(weeksLater);
  return {
    delivered: ratio(delivery),
    sells: failureOf(now) === null,
    saleGas,
    sellsLater: laterReason === null,
    laterReason,
    ...(weeksLaterReason && { weeksLaterReason }),
    ...(profit && { profit }),
    ...(hindered && { hindered }),
    ...(later?.kind === 'sold' && { laterTax: later.tax }),
    ...(laterDelivery && { laterBuyTax: 1 - ratio(laterDelivery) }),
  };
};
const UNREAD_TRADE = { sells: false, saleGas: 0, sellsLater: true, laterReason: null };

/** What a probe depends on. */
export interface ProberPorts {
  readonly node: ChainNode;
  /** The wrapped native coin: sales are tried against it. */
  readonly weth: Hex;
  /** Draws an unused address; random by default. */
  readonly drawAddress?: () => Hex;
}

const probe = async (
  { node, weth, drawAddress = randomAddress }: ProberPorts,
  request: ProbeRequest,
): Promise<Probe> => {
  const ask = inBatches(node);
  const { pool, token } = request.subject;
  const market = pool && marketOf(token, pool, weth);
  const [trader, router, stranger] = [drawAddress(), drawAddress(), drawAddress()];
  const { head } = request.state;
  const laterClock = request.hook?.clock ?? request.clock;
  const empty = { token, market, head, trader, router, size: 0n, amount: 0n, laterClock };
  const { unborn = [] } = request;
  const rehearsal = await rehearse(ask, empty, { stranger, unborn });
  if (!rehearsal) return unknown(sentence('nodeRefusesProbe'));
  const around = { ...rehearsal, stranger };
  const { functions, callers, secrets } = request;
  const own = { address: token, functions, callers, secrets };
  const ofToken = await powersOverBuyers(ask, request, own, around);
  const powers = [
    ...(await asTheirRulers(ask, request, around, ofToken)),
    ...(await powersFromOutside(ask, request, around)),
  ];
  const hookPowers = request.hook && (await powersOver(ask, request, request.hook, around));
  return {
    kind: 'done',
    blockNumber: head.number,
    trade: tradeOf(rehearsal),
    powers,
    ...(hookPowers && { hookPowers }),
    stage: stored(rehearsal, stranger),
  };
};

/** Acts as a privileged address in simulations and observes the effect on a buyer. If the node cannot do this, the result is `unknown`. */
export const probePowers = async (ports: ProberPorts, request: ProbeRequest): Promise<Probe> => {
  try {
    return await probe(ports, request);
  } catch (error) {
    // What code and storage show stays good where a node fails at simulations only.
    if (!(error instanceof RetryableError)) throw error;
    return isTooLarge(error) ? TOO_LARGE : NO_ANSWER;
  }
};

/** The code that puts the clock forward is stored where it showed something. */
const stored = (
  {
    stage: { market, head, trader, router, size, amount, laterClock },
    later,
    weeksLater,
  }: Rehearsal,
  stranger: Hex,
): StoredStage => ({
  ...(laterClock && (failureOf(later) ?? failureOf(weeksLater)) !== null && { laterClock }),
  timestampS: head.timestampS,
  poolKind: market?.kind ?? null,
  base: market?.base ?? null,
  ...(market?.entry && { entry: market.entry }),
  trader,
  router,
  stranger,
  size: String(size),
  amount: String(amount),
});

const ratio = ({ bought, arrived }: Delivery): number => Math.min(1, share(arrived, bought));

/** One power of each kind, origin and function: the one with the largest effect. */
const gravest = (powers: readonly Power[]): Power[] => {
  const best = new Map<string, Power>();
  for (const power of powers) {
    const key = `${power.kind} ${power.caller.address} ${power.selector}`;
    if (power.value > (best.get(key)?.value ?? 0)) best.set(key, power);
  }
  return [...best.values()];
};
