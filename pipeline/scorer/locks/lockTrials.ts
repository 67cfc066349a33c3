import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import type { ProbeCall } from '../contract/probeCalls.ts';
import type { SimulatedBlocks } from '../simulation/callSequence.ts';
import {
  addressInWord,
  decodeWords,
  encodeCall,
  quantity,
  selectorOf,
} from '../simulation/evmCode.ts';
import {
  BLOCK_SECONDS,
  call,
  type Head,
  READ_GAS,
  type SimulationParams,
  simulationOf,
} from '../simulation/simulateParams.ts';
import { type Ask, simulate, tryNow } from '../simulation/simulatingNode.ts';
import type { HeldLock } from './heldLocks.ts';
import type { Belief, LockCaller } from './studiedLock.ts';

/** Share of the holdings that must leave: lockers take fees of a hundredth when a lock is extended. */
const LEAVES_MIN = 10n;
const TRIES_PER_CALLER_MAX = 96;
const EFFECTS_MAX = 48;
/** Ether of a caller, wei: some lockers take a fee. */
const PURSE_WEI = '0xde0b6b3a7640000';
/** Seconds before and after the end of a lock at which the owner's withdrawal is simulated. */
const AROUND_S = 60;
/** The latest time of a simulation: far beyond any honest lock, within what nodes accept. */
const TIME_MAX_S = 2 ** 33;

const BALANCE_OF = selectorOf('balanceOf(address)');
const OWNER_OF = selectorOf('ownerOf(uint256)');
const POSITIONS = selectorOf('positions(uint256)');
/** The word of `positions` that is the liquidity. */
const LIQUIDITY_WORD = 7;

export interface Caller {
  readonly address: Hex;
  readonly role: LockCaller;
}

/** Inputs for simulating one lock. */
export interface Stage {
  readonly lock: HeldLock;
  readonly head: Head;
  readonly ask: Ask;
  readonly callsAs: (caller: Caller) => ProbeCall[];
}

/**
 * The call that shows the locker's holdings, and how to read its result: tokens, or the liquidity of a position.
 */
export const holdingCalls = ({ asset, locker, position }: HeldLock) =>
  position > 0n
    ? [
        { to: asset, input: encodeCall(OWNER_OF, position) },
        { to: asset, input: encodeCall(POSITIONS, position) },
      ]
    : [{ to: asset, input: encodeCall(BALANCE_OF, locker) }];

export const holdingOf = (
  { locker, position }: HeldLock,
  answers: readonly (string | undefined)[],
): bigint | undefined => {
  const [first = '0x', second = '0x'] = answers;
  if (position === 0n) return decodeWords(first, 1)?.[0];
  if (addressInWord(first) !== locker) return decodeWords(first, 1) && 0n;
  return decodeWords(second, LIQUIDITY_WORD + 1)?.[LIQUIDITY_WORD];
};

/** A sequence: the locker's holdings, then after each action again. */
const planOf = (
  { lock, head }: Stage,
  acts: readonly { from: Hex; data: Hex }[],
  atS: number,
): SimulationParams => {
  const asked = { from: ZERO_ADDRESS, gas: quantity(READ_GAS), value: '0x0' };
  const holding = holdingCalls(lock).map((one) => ({ ...one, ...asked }));
  const tried = acts.flatMap(({ from, data }) => [call(from, lock.locker, data), ...holding]);
  const stateOverrides = Object.fromEntries(acts.map(({ from }) => [from, { balance: PURSE_WEI }]));
  const calls = [...holding, ...tried];
  return simulationOf(head, [{ afterS: atS - head.timestampS, stateOverrides, calls }]).params;
};

/**
 * The first action after which the locker holds considerably less; undefined if there is none, or nothing could be
 * read.
 */
const leavingAct = (lock: HeldLock, outcome: RpcOutcome | undefined): number | undefined => {
  const [block] = outcome?.ok ? (outcome.result as SimulatedBlocks) : [];
  if (!block) return undefined;
  const answers = block.calls.map(({ status, returnData }) =>
    status === '0x1' ? returnData : undefined,
  );
  const width = holdingCalls(lock).length;
  const before = holdingOf(lock, answers.slice(0, width));
  if (!before) return undefined;
  for (let at = width, act = 0; at < answers.length; at += width + 1, act += 1) {
    const now = holdingOf(lock, answers.slice(at + 1, at + 1 + width));
    if (now !== undefined && (before - now) * LEAVES_MIN > before) return act;
  }
  return undefined;
};

/** Calls that do not revert now, for each caller. */
const accepted = async ({ lock, ask, callsAs }: Stage, callers: readonly Caller[]) => {
  const tries = callers.flatMap((caller) =>
    callsAs(caller)
      .slice(0, TRIES_PER_CALLER_MAX)
      .map((call) => ({ caller, call })),
  );
  const outcomes = await tryNow(
    ask,
    lock.locker,
    tries.map(({ caller, call: { data } }) => ({ from: caller.address, data })),
  );
  return tries.filter((_one, i) => outcomes[i]?.ok).slice(0, EFFECTS_MAX);
};

interface Attempt {
  readonly caller: Caller;
  readonly selector: Hex;
  readonly acts: readonly { from: Hex; data: Hex }[];
}

/** The first attempt that withdraws the lock at a time. */
const firstLeaving = async (
  stage: Stage,
  attempts: readonly Attempt[],
  atS: number,
): Promise<{ attempt: Attempt; shownBy: SimulationParams } | undefined> => {
  const plans = attempts.map(({ acts }) => planOf(stage, acts, atS));
  const outcomes = await simulate(stage.ask, plans);
  for (const [i, attempt] of attempts.entries()) {
    const shownBy = plans[i];
    if (shownBy && leavingAct(stage.lock, outcomes[i]) !== undefined) return { attempt, shownBy };
  }
  return undefined;
};

/** The owner's call that withdraws the lock after its end. */
const withdrawalAfter = async (stage: Stage, owner: Caller) => {
  const calls = stage.callsAs(owner).slice(0, EFFECTS_MAX);
  const atS = Math.min(stage.lock.unlockAtS + AROUND_S, TIME_MAX_S);
  const attempts = calls.map(({ selector, data }) => ({
    caller: owner,
    selector,
    acts: [{ from: owner.address, data }],
  }));
  return firstLeaving(stage, attempts, atS);
};

const early = (
  { head }: Stage,
  { attempt, shownBy }: { attempt: Attempt; shownBy: SimulationParams },
): Belief => ({
  kind: 'early',
  blockNumber: head.number,
  caller: attempt.caller.address,
  role: attempt.caller.role,
  selector: attempt.selector,
  shownBy,
});

/**
 * Tries to withdraw a lock before its end: by every call that works now, as its owner, as those who may control the
 * locker and as anyone; and by the owner's withdrawal after each such call, and a minute before the end. If none
 * succeeds and that withdrawal works after the end, the lock is believed.
 */
export const tryLock = async (
  stage: Stage,
  owner: Caller,
  callers: readonly Caller[],
): Promise<Belief> => {
  const { head, lock } = stage;
  const nowS = head.timestampS + BLOCK_SECONDS;
  const open = await accepted(stage, callers);
  const single = open.map(({ caller, call }) => ({
    caller,
    selector: call.selector,
    acts: [{ from: caller.address, data: call.data }],
  }));
  const exit = await firstLeaving(stage, single, nowS);
  if (exit) return early(stage, exit);
  const after = await withdrawalAfter(stage, owner);
  if (!after) return { kind: 'unknown' };
  const [act] = after.attempt.acts;
  if (!act) return { kind: 'unknown' };
  const prepared = single.map((one) => ({ ...one, acts: [...one.acts, act] }));
  const opened = await firstLeaving(stage, prepared, nowS);
  if (opened) return early(stage, opened);
  const justBefore = Math.min(lock.unlockAtS - AROUND_S, TIME_MAX_S);
  if (justBefore > nowS) {
    const sooner = await firstLeaving(stage, [after.attempt], justBefore);
    if (sooner) return early(stage, sooner);
  }
  return { kind: 'behaviour', blockNumber: head.number, shownBy: after.shownBy };
};
