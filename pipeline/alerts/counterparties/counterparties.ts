import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { growingTo } from '../growingTo.ts';

/** A movement between a followed wallet and another address; the token is null for native currency. */
interface Movement {
  readonly wallet: Hex;
  readonly other: Hex;
  readonly direction: 'in' | 'out';
  readonly token: Hex | null;
  /** Raw units. */
  readonly value: bigint;
  readonly txHash: Hex;
  /** Index of the log; for native currency a number that no log has. */
  readonly logIndex: number;
}

/** A movement of no or unknown value with an address that looks like a counterparty. */
export interface Suspect extends Movement {
  /** The counterparty that it imitates. */
  readonly counterparty: Hex;
  /** Time of the last movement of value between wallet and counterparty, Unix seconds. */
  readonly lastSeenS: number;
  /** `unvalued`: a token without a known price. */
  readonly worth: 'nothing' | 'dust' | 'unvalued';
}

export const pastCounterpartySchema = z.object({
  wallet: addressSchema,
  other: addressSchema,
  /** Null for native currency. */
  token: addressSchema.nullable(),
  /** The largest single movement, raw units. */
  largest: z.number(),
  lastSeenS: z.number(),
});
/** A counterparty from the index. */
export type PastCounterparty = Readonly<z.infer<typeof pastCounterpartySchema>>;

/** US dollars per raw unit; null if no price is known, and for native currency under a null token. */
type UsdPerUnit = (token: Hex | null) => number | null;

/** Seconds for which a counterparty is remembered: 30 days. */
export const COUNTERPARTY_AGE_S = 30 * 86_400;
/**
 * Wallets whose counterparties are cached, least recently active ones evicted first; about 100 bytes per
 * counterparty.
 */
const WALLETS_MAX = 10_000;
/** Counterparties per wallet, those with the oldest last movement evicted first. */
export const COUNTERPARTIES_MAX = 100;
/**
 * Hexadecimal characters after 0x, and at the end, by which people recognise an address: wallets show four or more at
 * each end. By chance two addresses share both once in 2^28.
 */
const FIRST_CHARS = 3;
const LAST_CHARS = 4;
/**
 * An address is a counterparty if this much moved in one movement; less is dust. An attacker who wants to count as
 * one pays this for each wallet.
 */
const DUST_USD = 1;
/** Native transfers have no log; their index in the block is higher than that of any log. */
const NATIVE_LOG_INDEX_FROM = 2 ** 31;

const endsOf = (address: Hex): string =>
  address.slice(2, 2 + FIRST_CHARS) + address.slice(-LAST_CHARS);

/** Movements of followed wallets in a fact: one for each end. */
const movementsOf = (fact: Fact, follows: (address: Hex) => boolean): Movement[] => {
  if (fact.kind !== 'transfer' && fact.kind !== 'nativeTransfer') return [];
  const { from, to, value, txHash } = fact;
  if (from === to || from === ZERO_ADDRESS || to === ZERO_ADDRESS) return [];
  const about = {
    token: fact.kind === 'transfer' ? fact.token : null,
    value: BigInt(value),
    txHash,
    logIndex: fact.kind === 'transfer' ? fact.logIndex : NATIVE_LOG_INDEX_FROM + fact.txIndex,
  };
  return [
    ...(follows(from) ? [{ ...about, wallet: from, other: to, direction: 'out' as const }] : []),
    ...(follows(to) ? [{ ...about, wallet: to, other: from, direction: 'in' as const }] : []),
  ];
};

/** Time of the last movement of value with an address, and block of the first. */
interface Dealing {
  readonly lastSeenS: number;
  /** 0 for data from the index. */
  readonly firstBlock: number;
}

/** Counterparties of followed wallets, by wallet. */
export class Counterparties {
  readonly #follows: (address: Hex) => boolean;
  readonly #wallets: LRUCache<Hex, Map<Hex, Dealing>>;
  #forgotten = 0;

  constructor(follows: (address: Hex) => boolean) {
    this.#follows = follows;
    this.#wallets = new LRUCache<Hex, Map<Hex, Dealing>>({
      ...growingTo(WALLETS_MAX),
      disposeAfter: (_dealings, _wallet, reason) => {
        if (reason === 'evict') this.#forgotten += 1;
      },
    });
  }

  /** Followed wallets in these facts whose counterparties are not loaded. */
  unknown(facts: readonly Fact[]): Hex[] {
    const touched = facts.flatMap((fact) => movementsOf(fact, this.#follows));
    const wallets = new Set(touched.map(({ wallet }) => wallet));
    return [...wallets].filter((wallet) => !this.#wallets.has(wallet));
  }

  /** Loads the counterparties of wallets from the index. */
  learn(wallets: readonly Hex[], past: readonly PastCounterparty[], usdPerUnit: UsdPerUnit): void {
    for (const wallet of wallets) this.#wallets.set(wallet, new Map());
    for (const { wallet, other, token, largest, lastSeenS } of past) {
      const usd = usdPerUnit(token);
      if (usd !== null && largest * usd >= DUST_USD) this.#note(wallet, other, lastSeenS, 0);
    }
  }

  /** Applies a block; returns movements with addresses that look like earlier counterparties. */
  apply({ number, timestampS, facts }: BlockFacts, usdPerUnit: UsdPerUnit): Suspect[] {
    return facts
      .flatMap((fact) => movementsOf(fact, this.#follows))
      .flatMap((movement) => {
        const { wallet, other, token, value } = movement;
        const usd = usdPerUnit(token);
        if (usd !== null && Number(value) * usd >= DUST_USD) {
          this.#note(wallet, other, timestampS, number);
          return [];
        }
        const like = this.#lookedLike(wallet, other, timestampS);
        if (!like) return [];
        const unvalued = usd === null ? 'unvalued' : 'dust';
        return [{ ...movement, ...like, worth: value === 0n ? 'nothing' : unvalued } as const];
      });
  }

  /** Forgets counterparties that have movements in orphaned blocks only. */
  rollBack(ancestor: number): void {
    for (const dealings of this.#wallets.values()) {
      for (const [other, { firstBlock }] of dealings) {
        if (firstBlock > ancestor) dealings.delete(other);
      }
    }
  }

  counts(): { followedWallets: number; followedWalletsEvicted: number } {
    return { followedWallets: this.#wallets.size, followedWalletsEvicted: this.#forgotten };
  }

  #note(wallet: Hex, other: Hex, lastSeenS: number, block: number): void {
    const dealings = this.#wallets.get(wallet) ?? new Map<Hex, Dealing>();
    const before = dealings.get(other);
    // Moved to the end: the first ones have the oldest last movement.
    dealings.delete(other);
    dealings.set(other, {
      lastSeenS: Math.max(lastSeenS, before?.lastSeenS ?? 0),
      firstBlock: before?.firstBlock ?? block,
    });
    const [oldest] = dealings.keys();
    if (dealings.size > COUNTERPARTIES_MAX && oldest) dealings.delete(oldest);
    this.#wallets.set(wallet, dealings);
  }

  /** The counterparty that an address imitates; undefined for a counterparty itself, and for most others. */
  #lookedLike(
    wallet: Hex,
    other: Hex,
    nowS: number,
  ): Pick<Suspect, 'counterparty' | 'lastSeenS'> | undefined {
    const dealings = this.#wallets.get(wallet);
    if (!dealings || dealings.has(other)) return undefined;
    const ends = endsOf(other);
    for (const [counterparty, { lastSeenS }] of dealings) {
      if (endsOf(counterparty) === ends && nowS - lastSeenS <= COUNTERPARTY_AGE_S) {
        return { counterparty, lastSeenS };
      }
    }
    return undefined;
  }
}
