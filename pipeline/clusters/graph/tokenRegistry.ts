import type { Hex } from '../../../shared/chain/block.ts';
import { type EdgeTable, FUNDING, isMoney, NATIVE, NO_EDGE } from './edgeTable.ts';
import { reserve } from './reserve.ts';

/** A stored deployment; wallets and tokens are numbers of the wallet table. */
export interface TokenCreation {
  readonly token: number;
  readonly creator: number;
  readonly block: number;
  readonly tx: Hex | null;
  readonly codeHash: Hex | null;
}

/**
 * A creator with this many tokens and this small a share of scams is a factory or a launch service, not a ring.
 */
const SERVICE_TOKENS_MIN = 20;
const SERVICE_SCAM_RATE_MAX = 0.1;

/** Deployers of the same bytecode beyond which it is a widely copied template. */
const TEMPLATE_DEPLOYERS_MAX = 20;

/** Who deployed what, and which of it is a scam. Plain Maps: tokens are a few thousandths of the edges. */
export const createTokenRegistry = () => {
  const creations = new Map<number, TokenCreation[]>();
  const byCreator = new Map<number, TokenCreation[]>();
  const byCode = new Map<Hex, TokenCreation[]>();
  const scams = new Map<number, boolean>();

  const push = <K>(map: Map<K, TokenCreation[]>, key: K, creation: TokenCreation): void => {
    const list = map.get(key);
    if (list) list.push(creation);
    else map.set(key, [creation]);
  };
  const drop = <K>(map: Map<K, TokenCreation[]>, key: K, creation: TokenCreation): void => {
    const rest = (map.get(key) ?? []).filter((held) => held !== creation);
    if (rest.length > 0) map.set(key, rest);
    else map.delete(key);
  };

  return {
    add: (creation: TokenCreation): void => {
      push(creations, creation.token, creation);
      push(byCreator, creation.creator, creation);
      if (creation.codeHash !== null) push(byCode, creation.codeHash, creation);
    },
    remove: (creation: TokenCreation): void => {
      drop(creations, creation.token, creation);
      drop(byCreator, creation.creator, creation);
      if (creation.codeHash !== null) drop(byCode, creation.codeHash, creation);
    },
    setVerdict: (token: number, isScam: boolean): void => void scams.set(token, isScam),
    isScam: (token: number): boolean => scams.get(token) === true,
    isToken: (wallet: number): boolean => creations.has(wallet),
    creationOf: (token: number): TokenCreation | undefined => creations.get(token)?.[0],
    createdBy: (creator: number): readonly TokenCreation[] => byCreator.get(creator) ?? [],
    creators: (): IterableIterator<number> => byCreator.keys(),
    /** Other tokens of the same bytecode; none if it is a common template. */
    twinsOf: (creation: TokenCreation): readonly TokenCreation[] => {
      const twins = creation.codeHash === null ? [] : (byCode.get(creation.codeHash) ?? []);
      return twins.length > TEMPLATE_DEPLOYERS_MAX ? [] : twins;
    },
    /** Whether a wallet deployed a scam and is not a launch service. */
    isScammer: (creator: number): boolean => {
      const created = byCreator.get(creator);
      if (!created) return false;
      const count = created.filter(({ token }) => scams.get(token) === true).length;
      const isService =
        created.length >= SERVICE_TOKENS_MIN && count / created.length < SERVICE_SCAM_RATE_MAX;
      return count > 0 && !isService;
    },
  };
};
type TokenRegistry = ReturnType<typeof createTokenRegistry>;

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
const firstAct = (
  { outs, kind, block }: EdgeTable,
  tokens: TokenRegistry,
  wallet: number,
): number => {
  let first = NEVER;
  for (const creation of tokens.createdBy(wallet)) first = Math.min(first, creation.block);
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
export const createFundingPhases = (
  edges: EdgeTable,
  tokens: TokenRegistry,
  walletsMax: number,
) => {
  const { outs, ins, kind, block, value } = edges;
  const state = reserve(Uint8Array, walletsMax);
  const endBlock = reserve(Uint32Array, walletsMax);
  const largestFunding = reserve(Float32Array, walletsMax);
  const largestFlow = reserve(Float32Array, walletsMax);

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
    /** Whether an edge is first money of its target. Not defined for a hub. */
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
