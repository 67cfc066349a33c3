import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import type { BlockFacts, BlocksEvent, ChainEvent } from '../../shared/chain/chainEvent.ts';
import type { LockFact } from '../../shared/chain/fact.ts';
import { chainMessageId } from '../../shared/messages/chainMessage.ts';
import type { LockReader, LoggedLock } from './lockReader.ts';
import type { FoundInBlock } from './raise/candidate.ts';
import { lockWithdrawn, type Outflow, type TokenLock, unlockSoon } from './rules/locks.ts';

/** Dependencies of following locks. */
export interface LockWatchPorts {
  readonly locks: LockReader;
  /** Seconds before the end of a lock at which watchers get an alert. */
  readonly unlockNoticeS: number;
}

/** Finds changes of locks, and locks that end soon by the chain's clock. */
export interface LockWatch {
  /** Applies an event that was handled before. */
  recall(event: ChainEvent): void;
  /** Findings of an event; the same if it is delivered again. */
  find(event: BlocksEvent): Promise<FoundInBlock[]>;
}

/** Chain seconds for which ending locks are looked up at once. */
const AHEAD_S = 600;
/** Changed locks that are remembered. */
const CHANGED_MAX = 1_000;
/** Locker actions after which it may pay out tokens as a fee. */
const PAYS_FEES: ReadonlySet<string> = new Set(['locked', 'extended', 'added']);

/** What a log says was locked. */
const loggedLock = (fact: LockFact): LoggedLock => ({
  locker: fact.locker,
  lockId: String(BigInt(fact.lockId)),
  asset: fact.asset,
  position: String(BigInt(fact.position)),
  owner: fact.owner,
  unlockAtS: Number(BigInt(fact.unlockAt)),
  lockedTx: fact.txHash,
});

type Named = Pick<LoggedLock, 'locker' | 'lockId'>;
const isSame = (a: Named, b: Named): boolean => a.locker === b.locker && a.lockId === b.lockId;

/** What lockers logged. */
const lockerFacts = ({ blocks }: BlocksEvent): LockFact[] =>
  blocks.flatMap(({ facts }) =>
    facts.flatMap((fact) => (fact.kind === 'lock' && fact.locker !== ZERO_ADDRESS ? fact : [])),
  );

/** What left locking contracts in one block: tokens, and positions that were emptied or moved. */
const outflowsOf = ({ facts }: BlockFacts, lockers: ReadonlySet<Hex>): Outflow[] => {
  const acts = facts.flatMap((fact) =>
    fact.kind === 'lock' && fact.locker !== ZERO_ADDRESS ? fact : [],
  );
  const outflow = (txHash: Hex, place: Omit<Outflow, 'loggedId' | 'txHash'>): Outflow[] => {
    const around = acts.filter((fact) => fact.txHash === txHash);
    const logged = around.find(({ act }) => act === 'withdrawn');
    if (!logged && around.some(({ act }) => PAYS_FEES.has(act))) return [];
    return [{ ...place, loggedId: logged ? String(BigInt(logged.lockId)) : null, txHash }];
  };
  return facts.flatMap((fact): Outflow[] => {
    if (fact.kind === 'transfer') {
      const { token: asset, from: locker, txHash, logIndex } = fact;
      if (!lockers.has(locker)) return [];
      return outflow(txHash, { locker, asset, position: '0', logIndex });
    }
    if (fact.kind !== 'lock' || (fact.act !== 'decreased' && fact.act !== 'moved')) return [];
    // Its lock says who owned the position.
    const { asset, owner, txHash, logIndex } = fact;
    const position = String(BigInt(fact.position));
    return outflow(txHash, { locker: owner, asset, position, logIndex });
  });
};

/** Withdrawals of one block, one per lock and transaction. */
const withdrawals = async (
  block: BlockFacts,
  lockers: ReadonlySet<Hex>,
  reader: LockReader,
): Promise<FoundInBlock[]> => {
  const outflows = outflowsOf(block, lockers);
  const locks = await reader.at(outflows);
  const latestFirst = locks.toSorted((a, b) => b.unlockAtS - a.unlockAtS);
  const { number, hash, timestampS } = block;
  const seen = new Set<string>();
  return outflows.flatMap((outflow) =>
    latestFirst
      .filter(({ asset, position, locker, lockId }) => {
        if (asset !== outflow.asset || position !== outflow.position) return false;
        if (outflow.loggedId !== null && outflow.loggedId !== lockId) return false;
        // A position that moves to its locker has not left it.
        return position === '0' ? locker === outflow.locker : locker !== outflow.locker;
      })
      .flatMap((lock) => {
        const key = [outflow.txHash, lock.token, lock.locker, lock.asset, lock.position].join(':');
        if (seen.has(key)) return [];
        seen.add(key);
        return lockWithdrawn(lock, outflow, block);
      })
      .map((finding) => ({ finding, block: { number, hash, timestampS } })),
  );
};

/**
 * Ending locks are looked up for ten minutes of chain time at once; later changes of locks follow from facts. A
 * notice belongs to the event that ends at or after its time, and after the end of the previous event.
 */
export const createLockWatch = ({ locks: reader, unlockNoticeS }: LockWatchPorts): LockWatch => {
  let lockers: Set<Hex> | undefined;
  let lastS: number | undefined;
  let aheadUntilS = 0;
  let ahead: TokenLock[] = [];
  /** Locks created or changed since. */
  let changed: LoggedLock[] = [];
  /** The last event and its start time. */
  let current: { readonly id: string; readonly fromS: number } | undefined;

  /** Start time of an event: the same if it is delivered again. */
  const startOf = (event: BlocksEvent): number => {
    const id = chainMessageId(event);
    const { timestampS } = event.to;
    if (current?.id !== id) current = { id, fromS: Math.min(lastS ?? timestampS - 1, timestampS) };
    lastS = timestampS;
    return current.fromS;
  };

  const endingIn = async (fromS: number, toS: number): Promise<TokenLock[]> => {
    if (toS > aheadUntilS) {
      aheadUntilS = toS + AHEAD_S;
      ahead = await reader.ending(fromS + unlockNoticeS, aheadUntilS + unlockNoticeS);
      changed = changed.slice(-CHANGED_MAX);
    }
    const isChanged = (lock: TokenLock): boolean => changed.some((one) => isSame(one, lock));
    const isDue = ({ unlockAtS }: Pick<TokenLock, 'unlockAtS'>): boolean =>
      unlockAtS > fromS + unlockNoticeS && unlockAtS <= toS + unlockNoticeS;
    const isOutdated = ahead.some((lock) => isDue(lock) && isChanged(lock)) || changed.some(isDue);
    if (!isOutdated) return ahead.filter(isDue);
    // A lock looked up earlier may have been extended since, or was not stored yet.
    const now = await reader.ending(fromS + unlockNoticeS, toS + unlockNoticeS);
    return now.filter(isDue);
  };

  /** Locks with a short duration. */
  const shortLocks = async (facts: readonly LockFact[], toS: number): Promise<TokenLock[]> => {
    const made = facts.filter(({ act }) => act === 'locked').map(loggedLock);
    const short = made.filter(
      ({ unlockAtS }) => unlockAtS > toS && unlockAtS <= toS + unlockNoticeS,
    );
    return short.length > 0 ? reader.ofTokens(short) : [];
  };

  return {
    recall: (event) => {
      if (event.kind === 'blocks') lastS = event.to.timestampS;
      if (event.kind !== 'reorg') return;
      lastS = event.ancestor.timestampS;
      aheadUntilS = 0;
    },
    find: async (event) => {
      lockers ??= new Set(await reader.lockers());
      const known = lockers;
      const facts = lockerFacts(event);
      for (const { act, locker } of facts) if (act === 'locked') known.add(locker);
      changed.push(...facts.map(loggedLock));
      const found: FoundInBlock[] = [];
      for (const block of event.blocks) found.push(...(await withdrawals(block, known, reader)));
      if (!event.last) return found;
      const { number, hash, timestampS } = event.to;
      const ending = await endingIn(startOf(event), timestampS);
      const short = await shortLocks(facts, timestampS);
      const block = { number, hash, timestampS };
      const soon = [...ending, ...short].flatMap((lock) => unlockSoon(lock, block));
      return [...found, ...soon.map((finding) => ({ finding, block }))];
    },
  };
};
