import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import {
  type BurnFact,
  type Fact,
  isOtherMarket,
  type MintFact,
  type NativeTransferFact,
  type SwapFact,
  type TransferFact,
} from '../../../shared/chain/fact.ts';
import { type GraphFact, type GraphKind, movement, NO_TOKEN } from './graphFact.ts';

/** Whole native units below which a movement of native currency is dust and left out. */
export const NATIVE_DUST = 0.001;
const NATIVE_DECIMALS = 18;
const BURN_ADDRESSES: ReadonlySet<Hex> = new Set<Hex>([
  ZERO_ADDRESS,
  '0x000000000000000000000000000000000000dead',
]);

/** What a block's graph facts are derived with. */
export interface GraphContext {
  /** Who made a token that is young at a time: only of those are trades and transfers kept. */
  readonly creatorOf: (token: Hex, atS: number) => Hex | undefined;
  /** The wrapped native token: one of it is one native unit. */
  readonly weth: Hex;
}

/** What one transaction logged. */
interface Logged {
  readonly transfers: TransferFact[];
  readonly swaps: SwapFact[];
  readonly mints: MintFact[];
  readonly burns: BurnFact[];
  /** Contracts that logged as pools. */
  readonly pools: Set<Hex>;
}

/**
 * The graph facts of a whole block: native currency above dust that no contract's log explains; and of tokens younger than a week what
 * was bought, sold and moved between wallets, and who added and removed liquidity and received its worth.
 */
export const graphOfBlock = (block: BlockFacts, context: GraphContext): GraphFact[] => {
  const natives: GraphFact[] = [];
  const transactions = new Map<Hex, Logged>();
  for (const fact of block.facts) {
    if (fact.kind !== 'nativeTransfer' && !isOtherMarket(fact)) note(transactions, fact);
  }
  for (const fact of block.facts) {
    // Only contracts log: what such a transaction paid is the price of something, not anybody's funding.
    if (fact.kind !== 'nativeTransfer' || transactions.has(fact.txHash)) continue;
    natives.push(...nativeFact(fact));
  }
  const creatorOf = (token: Hex): Hex | undefined => context.creatorOf(token, block.timestampS);
  const logged = [...transactions.values()].flatMap((each) => [
    ...trades(each, creatorOf, context.weth),
    ...moves(each, creatorOf),
    ...liquidity(each, creatorOf, context.weth),
  ]);
  return [...natives, ...logged];
};

const unitsOf = (wei: Hex): number => Number(BigInt(wei)) / 10 ** NATIVE_DECIMALS;

const nativeFact = ({ from, to, value, txIndex, txHash }: NativeTransferFact): GraphFact[] => {
  const units = unitsOf(value);
  if (units < NATIVE_DUST || from === to) return [];
  return [
    movement({ kind: 'native', from, to, token: NO_TOKEN, value: units, place: txIndex, txHash }),
  ];
};

const note = (transactions: Map<Hex, Logged>, fact: Fact): void => {
  const known = transactions.get(fact.txHash);
  const logged = known ?? { transfers: [], swaps: [], mints: [], burns: [], pools: new Set() };
  if (!known) transactions.set(fact.txHash, logged);
  if ('pool' in fact) logged.pools.add(fact.pool);
  if (fact.kind === 'transfer') logged.transfers.push(fact);
  else if (fact.kind === 'swap') logged.swaps.push(fact);
  else if (fact.kind === 'mint') logged.mints.push(fact);
  else if (fact.kind === 'burn') logged.burns.push(fact);
};

const ofTransfer = (
  kind: GraphKind,
  transfer: TransferFact,
  ends: { from: Hex; to: Hex; token?: Hex; value?: number },
): GraphFact =>
  movement({
    kind,
    token: transfer.token,
    value: 0,
    place: transfer.logIndex,
    txHash: transfer.txHash,
    ...ends,
  });

/** Wrapped native currency that went into or out of the pools of a transaction, whole units. */
const wrappedMoved = ({ transfers, pools }: Logged, weth: Hex, end: 'from' | 'to'): number =>
  transfers
    .filter((each) => each.token === weth && pools.has(each[end]))
    .reduce((sum, { value }) => sum + unitsOf(value), 0);

/** Who took a young token out of a pool bought it, who put it in sold it, where the pool swapped. */
const trades = (
  logged: Logged,
  creatorOf: (token: Hex) => Hex | undefined,
  weth: Hex,
): GraphFact[] => {
  const { transfers, swaps, pools } = logged;
  if (swaps.length === 0) return [];
  const found: GraphFact[] = [];
  for (const transfer of transfers) {
    const { token, from, to } = transfer;
    if (creatorOf(token) === undefined || from === to) continue;
    const isOut = pools.has(from);
    if (isOut === pools.has(to)) continue;
    const wallet = isOut ? to : from;
    if (BURN_ADDRESSES.has(wallet) || wallet === token) continue;
    const value = wrappedMoved(logged, weth, isOut ? 'to' : 'from');
    found.push(ofTransfer(isOut ? 'bought' : 'sold', transfer, { from: wallet, to: token, value }));
    if (!isOut) found.push(...proceedsOf(logged, wallet, transfer, weth));
  }
  return found;
};

/**
 * What a sale paid to another wallet than the seller's, in wrapped native currency. What the caller of
 * the pool itself received it may have unwrapped and passed on: nothing shows to whom.
 */
const proceedsOf = (
  { transfers, swaps, pools }: Logged,
  seller: Hex,
  { token }: TransferFact,
  weth: Hex,
): GraphFact[] => {
  const callers = new Set(swaps.map(({ sender }) => sender));
  return transfers
    .filter((each) => each.token === weth && pools.has(each.from))
    .filter(({ to }) => to !== seller && !pools.has(to) && !callers.has(to))
    .map((each) =>
      ofTransfer('proceeds', each, {
        from: seller,
        to: each.to,
        token,
        value: unitsOf(each.value),
      }),
    );
};

/** Young tokens that moved between wallets; what the token's contract made, its creator gave. */
const moves = (
  { transfers, pools }: Logged,
  creatorOf: (token: Hex) => Hex | undefined,
): GraphFact[] => {
  // What a withdrawal of liquidity or a trade passes on between pool, router and wallet is covered by those.
  if (pools.size > 0) return [];
  const found: GraphFact[] = [];
  for (const transfer of transfers) {
    const { token, to } = transfer;
    const creator = creatorOf(token);
    if (creator === undefined) continue;
    const from = transfer.from === ZERO_ADDRESS ? creator : transfer.from;
    const ends = [from, to];
    if (from === to || ends.includes(token) || ends.some((end) => BURN_ADDRESSES.has(end)))
      continue;
    found.push(ofTransfer('token', transfer, { from, to }));
  }
  return found;
};

/** Who received the liquidity token of a mint, and who gave it back at a burn and to whose benefit. */
const liquidity = (
  logged: Logged,
  creatorOf: (token: Hex) => Hex | undefined,
  weth: Hex,
): GraphFact[] => {
  const { transfers, mints, burns } = logged;
  const found: GraphFact[] = [];
  for (const { pool } of mints) {
    const token = transfers.find((each) => each.to === pool && creatorOf(each.token) !== undefined);
    if (!token) continue;
    for (const share of transfers) {
      const isMinted = share.token === pool && share.from === ZERO_ADDRESS;
      if (!isMinted || BURN_ADDRESSES.has(share.to)) continue;
      const value = wrappedMoved(logged, weth, 'to');
      const ends = { from: share.to, to: token.token, token: token.token, value };
      found.push(ofTransfer('lpAdded', share, ends));
    }
  }
  for (const burn of burns) found.push(...removal(logged, burn, creatorOf, weth));
  return found;
};

const removal = (
  logged: Logged,
  { pool, to }: BurnFact,
  creatorOf: (token: Hex) => Hex | undefined,
  weth: Hex,
): GraphFact[] => {
  const { transfers } = logged;
  const paid = transfers.find((each) => each.from === pool && creatorOf(each.token) !== undefined);
  const share = transfers.find((each) => each.token === pool && each.to === pool);
  if (!paid || !share || BURN_ADDRESSES.has(share.from) || share.from === pool) return [];
  // A router that receives both sides passes the token on to whom the whole goes.
  const passed = transfers.find((each) => each.token === paid.token && each.from === to);
  const receiver = passed ? passed.to : to;
  const ends = { from: share.from, token: paid.token, value: wrappedMoved(logged, weth, 'from') };
  const removed = ofTransfer('lpRemoved', share, { ...ends, to: paid.token });
  const isOwn = receiver === share.from || BURN_ADDRESSES.has(receiver);
  return isOwn ? [removed] : [removed, ofTransfer('lpPaid', share, { ...ends, to: receiver })];
};
