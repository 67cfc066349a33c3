import type { Hex } from '../../../shared/chain/block.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { ClockedContract } from '../simulation/callSequence.ts';
import { marketOf } from '../simulation/simulateParams.ts';
import { type Ask, inBatches, isTooLarge, randomAddress } from '../simulation/simulatingNode.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type { Power, Probe } from './contractProfile.ts';
import type { Target } from './outsideContracts.ts';
import {
  effects,
  gravest,
  heldBySome,
  type ProbedToken,
  powersBySecret,
  powersOverBuyers,
  tryCalls,
} from './powersOverBuyers.ts';
import { forwardingCalls } from './probeCalls.ts';
import { type Rehearsal, rehearse, storedStage, tradeOf } from './rehearsal.ts';

/** What is simulated, and as whom. */
interface ProbeRequest extends ProbedToken, Omit<Target, 'address'> {
  /** Unused addresses that the token names. */
  readonly unborn?: readonly Hex[];
  /** Whether the token, or a contract it asks, may count trades or holders. */
  readonly mayCount?: boolean;
  /** Contracts besides the token that the callers control. */
  readonly outside?: readonly Target[];
  /** How the block number is advanced for the token, if it reads that. */
  readonly clock?: ClockedContract | undefined;
  /** The hook of the pool. */
  readonly hook?: ProbedHook | undefined;
}

/** A hook, who may control it, and how the block number is advanced for it, if it reads that. */
export type ProbedHook = Target & { readonly clock: ClockedContract | undefined };

const unknown = (reason: Sentence): Probe => ({ kind: 'unknown', reason });
const TOO_LARGE = unknown(sentence('answerTooLarge'));
const NO_ANSWER = unknown(sentence('nodeSilent'));

/** What insiders can do to buyers through other contracts. */
const powersFromOutside = async (
  ask: Ask,
  request: ProbeRequest,
  around: Rehearsal,
): Promise<Power[]> => {
  const found: Power[] = [];
  for (const target of request.outside ?? []) {
    const powers = await powersOverBuyers(ask, request, target, around);
    found.push(...powers.map((power) => ({ ...power, target: target.address })));
  }
  return found;
};

/**
 * A power of a contract that somebody can make it use at once belongs to that person: a contract that answers like a
 * timelock may act for a wallet without delay. The function remains that of the token.
 */
const asTheirRulers = async (
  ask: Ask,
  request: ProbeRequest,
  around: Rehearsal,
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

/** What the controllers of a hook can do to sales. */
const powersOver = async (
  ask: Ask,
  request: ProbeRequest,
  hook: ProbedHook,
  around: Rehearsal,
): Promise<Power[]> => {
  const { accepted } = await tryCalls(ask, request, hook, around);
  const powers = [
    ...(await powersBySecret(ask, request, hook, around)),
    ...(await effects(ask, request, hook.address, around, accepted)),
  ];
  return gravest(powers.filter(({ kind }) => kind === 'freeze' || kind === 'tax'));
};

/** Dependencies of a probe. */
export interface ProberPorts {
  readonly node: ChainNode;
  /** The wrapped native coin: sales are simulated against it. */
  readonly weth: Hex;
  /** Returns an unused address; random by default. */
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
  const { unborn = [], mayCount = false } = request;
  const rehearsal = await rehearse(ask, empty, { stranger, unborn, mayCount });
  if (!rehearsal) return unknown(sentence('nodeRefusesProbe'));
  const { functions, callers, secrets } = request;
  const own = { address: token, functions, callers, secrets };
  const ofToken = await powersOverBuyers(ask, request, own, rehearsal);
  const powers = [
    ...(await asTheirRulers(ask, request, rehearsal, ofToken)),
    ...(await powersFromOutside(ask, request, rehearsal)),
  ];
  const hookPowers = request.hook && (await powersOver(ask, request, request.hook, rehearsal));
  return {
    kind: 'done',
    blockNumber: head.number,
    trade: tradeOf(rehearsal),
    powers,
    ...(hookPowers && { hookPowers }),
    stage: storedStage(rehearsal),
  };
};

/**
 * Acts as a privileged address in simulations and observes the effect on a buyer. If the node cannot simulate, the
 * result is `unknown`.
 */
export const probePowers = async (ports: ProberPorts, request: ProbeRequest): Promise<Probe> => {
  try {
    return await probe(ports, request);
  } catch (error) {
    // Results from code and storage remain valid if only the node's simulations fail.
    if (!(error instanceof RetryableError)) throw error;
    return isTooLarge(error) ? TOO_LARGE : NO_ANSWER;
  }
};
