import { LRUCache } from 'lru-cache';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { codePatterns, disassemble } from '../contract/codePatterns.ts';
import { type ContractState, readContract } from '../contract/contractState.ts';
import { codeFunctions, type ProbeCall } from '../contract/probeCalls.ts';
import { quantity } from '../simulation/evmCode.ts';
import type { Head } from '../simulation/simulateParams.ts';
import { type Ask, inBatches, randomAddress } from '../simulation/simulatingNode.ts';
import { readSenders } from '../token/readSenders.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type { HeldLock } from './heldLocks.ts';
import type { LockStore, LockSubject } from './lockStore.ts';
import { type Caller, holdingCalls, holdingOf, tryLock } from './lockTrials.ts';
import { type Belief, isRunning, type StudiedLock } from './studiedLock.ts';
import { withdrawalCalls } from './withdrawalCalls.ts';

/** A token whose locks are needed. */
export interface LockQuestion extends LockSubject {
  readonly creator: Hex;
  /** Unix seconds after which locks do not count; undefined: all. */
  readonly untilS: number | undefined;
  /** Whether the verdict is about the chain's head, so that the node's current state may be used as evidence. */
  readonly isCurrent: boolean;
}

const UNKNOWN: Belief = { kind: 'unknown' };
const untried = (lock: HeldLock): StudiedLock => ({
  ...lock,
  belief: UNKNOWN,
  lockedBy: undefined,
});
/** Milliseconds for which a result is valid: owners change what a locker does. */
const BELIEVED_MS = 600_000;
/** The same if nothing could be determined. */
const UNKNOWN_MS = 60_000;
const REMEMBERED_MAX = 10_000;
/** Locks of one token that are simulated, the largest. */
const LOCKS_TRIED_MAX = 6;
const INSIDERS_MAX = 2;

const keyOf = (lock: HeldLock): string =>
  [lock.locker, lock.asset, lock.position, lock.lockId, lock.unlockAtS, lock.held, lock.owner].join(
    ':',
  );

/** The locker's holdings are read again: transfers show them too, but only the chain is proof. */
const emptyBelief = async (ask: Ask, lock: HeldLock, head: Head): Promise<Belief> => {
  const calls = holdingCalls(lock).map(({ to, input: data }) => ({
    method: 'eth_call',
    params: [{ to, data }, quantity(head.number)],
  }));
  const outcomes = await ask(calls);
  const answers = outcomes.map((one) => (one.ok ? String(one.result) : undefined));
  const [shownBy] = calls;
  return shownBy && holdingOf(lock, answers) === 0n
    ? { kind: 'empty', blockNumber: head.number, shownBy }
    : UNKNOWN;
};

/** Who might withdraw a lock, each once: its owner first, an unused address last. */
const callersOf = (
  lock: HeldLock,
  { creator, state, code }: { creator: Hex; state: ContractState; code: Hex },
): Caller[] => {
  const insiders = [...codePatterns(disassemble(code)).comparedCallers, ...state.stored];
  const callers: Caller[] = [
    { address: lock.owner, role: 'lockOwner' },
    { address: state.owner.address ?? ZERO_ADDRESS, role: 'lockerOwner' },
    { address: creator, role: 'creator' },
    ...insiders.slice(0, INSIDERS_MAX).map((address) => ({ address, role: 'insider' }) as const),
    { address: randomAddress(), role: 'anyone' },
  ];
  return callers.filter(
    ({ address }, i) =>
      address !== ZERO_ADDRESS && callers.findIndex((one) => one.address === address) === i,
  );
};

const believe = async (node: ChainNode, creator: Hex, lock: HeldLock): Promise<Belief> => {
  const ask = inBatches(node);
  const found = await readContract(node, lock.locker);
  if (!found) return UNKNOWN;
  const { state, code } = found;
  const { head } = state;
  if (!isRunning(lock, head.timestampS)) return UNKNOWN;
  if (lock.held === 0n) return emptyBelief(ask, lock, head);
  const functions = codeFunctions(code);
  const amount = lock.position > 0n ? lock.position : lock.held;
  const terms = { asset: lock.asset, lockId: lock.lockId, amount };
  const callers = callersOf(lock, { creator, state, code });
  const [owner] = callers;
  if (!owner) return UNKNOWN;
  const callsAs = ({ address }: Caller): ProbeCall[] => withdrawalCalls(functions, terms, address);
  return tryLock({ lock, head, ask, callsAs }, owner, callers);
};

/** A read of a node that may be unavailable: the result then stays unknown and delays no verdict. */
const unlessAway = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    return otherwise;
  }
};

export const createLockProber = (ports: {
  readonly store: Pick<LockStore, 'read'>;
  readonly node: ChainNode;
  /** Whether the node's head is meaningful for the facts at hand. */
  readonly isLive: () => boolean;
}) => {
  const { store, node, isLive } = ports;
  const beliefs = new LRUCache<string, Belief>({ max: REMEMBERED_MAX });

  const beliefIn = async (creator: Hex, lock: HeldLock): Promise<Belief> => {
    const key = keyOf(lock);
    const known = beliefs.get(key);
    if (known) return known;
    const belief = await unlessAway(() => believe(node, creator, lock), UNKNOWN);
    beliefs.set(key, belief, { ttl: belief.kind === 'unknown' ? UNKNOWN_MS : BELIEVED_MS });
    return belief;
  };

  const tryOut = async (creator: Hex, locks: readonly HeldLock[]): Promise<StudiedLock[]> => {
    const tried = locks
      .filter(({ isOver }) => !isOver)
      .toSorted((a, b) => b.share - a.share)
      .slice(0, LOCKS_TRIED_MAX);
    if (tried.length === 0) return locks.map(untried);
    const lockedTxs = tried.map(({ lockedTx }) => lockedTx);
    const senderOf = await unlessAway(() => readSenders(node, lockedTxs), new Map<Hex, Hex>());
    const studied = new Map<HeldLock, StudiedLock>();
    for (const lock of tried) {
      const belief = await beliefIn(creator, lock);
      studied.set(lock, { ...lock, belief, lockedBy: senderOf.get(lock.lockedTx) });
    }
    return locks.map((lock) => studied.get(lock) ?? untried(lock));
  };

  return {
    /** By token; absent for tokens without locks. A lock that cannot be simulated now is `unknown`. */
    study: async (
      chainId: number,
      questions: readonly LockQuestion[],
      upTo: number,
    ): Promise<Map<Hex, readonly StudiedLock[]>> => {
      const found = await store.read(chainId, questions, upTo);
      const studied = new Map<Hex, readonly StudiedLock[]>();
      for (const { token, creator, untilS, isCurrent } of questions) {
        const locks = (found.get(token) ?? []).filter(
          ({ lockedAtS }) => untilS === undefined || lockedAtS <= untilS,
        );
        if (locks.length === 0) continue;
        const isTried = isCurrent && isLive();
        studied.set(token, isTried ? await tryOut(creator, locks) : locks.map(untried));
      }
      return studied;
    },
  };
};
/**
 * The locks of tokens, and whether they can be believed, determined by trying to withdraw them before their end.
 */
export type LockProber = ReturnType<typeof createLockProber>;
