import { FUNDING, isMoney, NATIVE } from './edgeKinds.ts';
import { type EdgeTable, NO_EDGE } from './edgeTable.ts';
import type { TokenBook } from './tokenBook.ts';

/** Of several first inflows, those of at least this share of the largest are funding. */
const FUNDING_SHARE_MIN = 0.5;
/** Share of what it received up to then that a wallet spends before it counts as acting. */
const SPENT_SHARE_MIN = 0.1;
const NEVER = 2 ** 32 - 1;

const UNKNOWN = 0;
const PLAIN = 1;
const EXPLICIT = 2;

/** A sum of an unknown amount counts as one. */
const amountOf = (edges: EdgeTable, edge: number): number => (edges.value[edge] as number) || 1;

/** Money edges of one thread of a wallet, by block. */
const moneyOf = (edges: EdgeTable, head: number, next: Int32Array): number[] => {
  const { kind, block } = edges;
  const found: number[] = [];
  for (let e = head; e !== NO_EDGE; e = next[e] as number) {
    if (isMoney(kind[e] as number)) found.push(e);
  }
  return found.sort((a, b) => (block[a] as number) - (block[b] as number));
};

/** The block in which a wallet first deployed, traded or handed on tokens. */
const firstAct = ({ outs, kind, block }: EdgeTable, tokens: TokenBook, wallet: number): number => {
  let first = NEVER;
  for (const birth of tokens.createdBy(wallet)) first = Math.min(first, birth.block);
  for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
    if (!isMoney(kind[e] as number)) first = Math.min(first, block[e] as number);
  }
  return first;
};

/** The block in which a wallet had spent a material share of its income. */
const firstSpent = (
  edges: EdgeTable,
  income: readonly number[],
  spending: readonly number[],
): number => {
  const { block } = edges;
  let received = 0;
  let spent = 0;
  let next = 0;
  for (let i = 0; i < spending.length; i += 1) {
    const at = block[spending[i] as number] as number;
    spent += amountOf(edges, spending[i] as number);
    // All of one block counts at once: its order is not known.
    if (i + 1 < spending.length && block[spending[i + 1] as number] === at) continue;
    for (; next < income.length && (block[income[next] as number] as number) <= at; next += 1) {
      received += amountOf(edges, income[next] as number);
    }
    if (received > 0 && spent >= SPENT_SHARE_MIN * received) return at;
  }
  return NEVER;
};

/**
 * What a wallet had in hand when it first acted is its funding. It acts when it deploys, trades or hands
 * on tokens, or has spent a tenth of what it received: a stray payment out, or one that the recording
 * puts before any income, does not end the phase. Cached a wallet, 13 bytes each.
 */
export const createFundingPhases = (edges: EdgeTable, tokens: TokenBook, walletsMax: number) => {
  const { outs, ins, kind, block, value } = edges;
  const state = new Uint8Array(walletsMax);
  const endBlock = new Uint32Array(walletsMax);
  const largestFunding = new Float32Array(walletsMax);
  const largestFlow = new Float32Array(walletsMax);

  const fill = (wallet: number): void => {
    const income = moneyOf(edges, ins.head[wallet] as number, ins.next);
    const spending = moneyOf(edges, outs.head[wallet] as number, outs.next);
    const end = Math.min(firstAct(edges, tokens, wallet), firstSpent(edges, income, spending));
    const first = income.filter((e) => {
      const isPlain = kind[e] === NATIVE || kind[e] === FUNDING;
      return isPlain && (block[e] as number) <= end;
    });
    const named = first.filter((e) => kind[e] === FUNDING);
    const largest = (some: readonly number[]): number =>
      some.reduce((most, e) => Math.max(most, value[e] as number), 0);
    endBlock[wallet] = end;
    largestFunding[wallet] = largest(named.length > 0 ? named : first);
    largestFlow[wallet] = Math.max(largest(income), largest(spending));
    state[wallet] = named.length > 0 ? EXPLICIT : PLAIN;
  };
  const know = (wallet: number): void => {
    if (state[wallet] === UNKNOWN) fill(wallet);
  };

  return {
    bytes: walletsMax * 13,
    forget: (wallet: number): void => void (state[wallet] = UNKNOWN),
    /** Whether an edge is first money of its target. Must not be asked of a hub. */
    isFunding: (edge: number): boolean => {
      const code = kind[edge] as number;
      if (code !== NATIVE && code !== FUNDING) return false;
      const wallet = edges.to[edge] as number;
      know(wallet);
      if ((block[edge] as number) > (endBlock[wallet] as number)) return false;
      if (state[wallet] === EXPLICIT && code !== FUNDING) return false;
      const amount = value[edge] as number;
      return amount === 0 || amount >= FUNDING_SHARE_MIN * (largestFunding[wallet] as number);
    },
    /** How much an edge is to one of its ends: its share of the largest sum the wallet ever moved, 0 to 1. */
    shareOf: (wallet: number, edge: number): number => {
      know(wallet);
      const amount = value[edge] as number;
      return amount === 0 ? 1 : amount / (largestFlow[wallet] as number);
    },
  };
};
