import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import {
  type BurnFact,
  type CollectFact,
  type Fact,
  type MarketFact,
  type MintFact,
  type NativeTransferFact,
  type SwapFact,
  type TransferFact,
} from '../../../shared/chain/fact.ts';
import { poolKindOf } from '../../../shared/chain/protocol.ts';
import { type GraphFact, type GraphKind, movement, NO_TOKEN } from './graphFact.ts';

/** Whole native units below which a native movement is dust and left out. */
export const NATIVE_DUST = 0.001;
const NATIVE_DECIMALS = 18;
const BURN_ADDRESSES: ReadonlySet<Hex> = new Set<Hex>([
  ZERO_ADDRESS,
  '0x000000000000000000000000000000000000dead',
]);

/** Inputs for deriving a block's graph facts. */
export interface GraphContext {
  /** The creator of a token that is young at a time: only trades and transfers of young tokens are kept. */
  readonly creatorOf: (token: Hex, atS: number) => Hex | undefined;
  /** The wrapped native token: one of it is worth one native unit. */
  readonly weth: Hex;
}

/** The logs of one transaction, and the context of its block. */
interface Logged {
  readonly creatorOf: (token: Hex) => Hex | undefined;
  readonly weth: Hex;
  readonly transfers: TransferFact[];
  readonly swaps: SwapFact[];
  readonly mints: MintFact[];
  readonly burns: BurnFact[];
  readonly collects: CollectFact[];
  /** Contracts that logged as pools, or as managers that hold the assets of their pools. */
  readonly pools: Set<Hex>;
}

/**
 * The graph facts of a whole block: native movements above dust that no contract's log explains; and for tokens
 * younger than a week, purchases, sales, movements between wallets, and who added and removed liquidity and received
 * its value.
 */
export const graphOfBlock = (block: BlockFacts, context: GraphContext): GraphFact[] => {
  const natives: GraphFact[] = [];
  const transactions = new Map<Hex, Logged>();
  const creatorOf = (token: Hex): Hex | undefined => context.creatorOf(token, block.timestampS);
  for (const fact of block.facts) {
    if (fact.kind !== 'nativeTransfer') note(transactions, fact, { creatorOf, weth: context.weth });
  }
  for (const fact of block.facts) {
    // Only contracts log: a payment in such a transaction is the price of something, not funding.
    if (fact.kind !== 'nativeTransfer' || transactions.has(fact.txHash)) continue;
    natives.push(...nativeFact(fact));
  }
  const logged = [...transactions.values()].flatMap((each) => [
    ...trades(each),
    ...moves(each),
    ...liquidity(each),
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

/** The holder of a market's assets: its contract, or its manager. */
const holderOf = (fact: MarketFact): Hex =>
  ('manager' in fact ? fact.manager : undefined) ?? fact.pool;

const note = (
  transactions: Map<Hex, Logged>,
  fact: Fact,
  context: Pick<Logged, 'creatorOf' | 'weth'>,
): void => {
  const known = transactions.get(fact.txHash);
  const logged: Logged = known ?? {
    ...context,
    transfers: [],
    swaps: [],
    mints: [],
    burns: [],
    collects: [],
    pools: new Set(),
  };
  if (!known) transactions.set(fact.txHash, logged);
  if ('pool' in fact) logged.pools.add(holderOf(fact));
  if (fact.kind === 'transfer') logged.transfers.push(fact);
  else if (fact.kind === 'swap') logged.swaps.push(fact);
  else if (fact.kind === 'mint') logged.mints.push(fact);
  else if (fact.kind === 'burn') logged.burns.push(fact);
  else if (fact.kind === 'collect') logged.collects.push(fact);
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

/**
 * Native currency that a trade paid without a transfer: to a four.meme curve or, always as amount 0, to the Uniswap
 * V4 manager.
 */
const nativeAmount = (
  { protocol, ...swap }: SwapFact,
  { transfers, pools }: Logged,
  end: 'from' | 'to',
): Hex => {
  const [paid0, paid1] =
    end === 'to' ? [swap.amount0In, swap.amount1In] : [swap.amount0Out, swap.amount1Out];
  const kind = poolKindOf(protocol);
  if (kind === 'curve') return paid1;
  if (kind !== 'managed') return '0x0';
  const isToken = transfers.some(
    ({ value, [end]: holder }) => value === paid0 && pools.has(holder),
  );
  return isToken ? '0x0' : paid0;
};

/** Native currency, wrapped or not, that entered or left the pools of a transaction, whole units. */
const wrappedMoved = (logged: Logged, end: 'from' | 'to'): number => {
  const { transfers, swaps, pools, weth } = logged;
  const wrapped = transfers
    .filter((each) => each.token === weth && pools.has(each[end]))
    .reduce((sum, { value }) => sum + unitsOf(value), 0);
  return swaps.reduce((sum, swap) => sum + unitsOf(nativeAmount(swap, logged, end)), wrapped);
};

/**
 * Where a pool swapped, the wallet that received a young token bought it, and the wallet that paid it in sold it.
 */
const trades = (logged: Logged): GraphFact[] => {
  const { transfers, swaps, pools, creatorOf } = logged;
  if (swaps.length === 0) return [];
  const found: GraphFact[] = [];
  for (const transfer of transfers) {
    const { token, from, to } = transfer;
    if (creatorOf(token) === undefined || from === to) continue;
    const isOut = pools.has(from);
    if (isOut === pools.has(to)) continue;
    const wallet = isOut ? to : from;
    if (BURN_ADDRESSES.has(wallet) || wallet === token) continue;
    const value = wrappedMoved(logged, isOut ? 'to' : 'from');
    found.push(ofTransfer(isOut ? 'bought' : 'sold', transfer, { from: wallet, to: token, value }));
    if (!isOut) found.push(...proceedsOf(logged, wallet, transfer));
  }
  return found;
};

/**
 * What a sale paid to a wallet other than the seller, in wrapped native currency. If the pool's caller received it,
 * it may have unwrapped and passed it on; nothing shows to whom.
 */
const proceedsOf = (
  { transfers, swaps, pools, weth }: Logged,
  seller: Hex,
  { token }: TransferFact,
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

/** Young tokens that moved between wallets; tokens minted by the contract are attributed to the creator. */
const moves = ({ transfers, pools, creatorOf }: Logged): GraphFact[] => {
  // Transfers of a withdrawal or a trade between pool, router and wallet are covered by those facts.
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

/**
 * Who added liquidity, by the minted liquidity token, and who returned it and who benefited. A position of
 * concentrated liquidity has no such token: the wallet that paid the pool added, and the wallet that is paid at the
 * end removed.
 */
const liquidity = (logged: Logged): GraphFact[] => {
  const { transfers, mints, burns, collects, creatorOf } = logged;
  const found: GraphFact[] = [];
  for (const mint of mints) {
    const holder = holderOf(mint);
    const token = transfers.find(
      (each) => each.to === holder && creatorOf(each.token) !== undefined,
    );
    if (!token) continue;
    const shares = mint.range
      ? [{ transfer: token, owner: token.from }]
      : transfers
          .filter((share) => share.token === holder && share.from === ZERO_ADDRESS)
          .map((share) => ({ transfer: share, owner: share.to }));
    for (const { transfer, owner } of shares) {
      if (BURN_ADDRESSES.has(owner)) continue;
      const value = wrappedMoved(logged, 'to');
      const ends = { from: owner, to: token.token, token: token.token, value };
      found.push(ofTransfer('lpAdded', transfer, ends));
    }
  }
  for (const burn of burns) {
    if (burn.range) continue;
    found.push(...removal(logged, burn));
  }
  // On Uniswap V3 burned liquidity leaves with a collect, on V4 at once.
  const paidOut = [...collects, ...burns.filter(({ manager, range }) => manager && range)];
  const holders = new Set(paidOut.map(holderOf));
  for (const holder of holders) found.push(...payout(logged, holder));
  return found;
};

/** What left the positions of a pool in a transaction, by the wallet that finally received it. */
const payout = (logged: Logged, holder: Hex): GraphFact[] => {
  const { transfers, pools, creatorOf } = logged;
  const paid = transfers.find(
    (each) => each.from === holder && creatorOf(each.token) !== undefined && !pools.has(each.to),
  );
  if (!paid) return [];
  // A position manager that receives both sides to unwrap one passes the token on to the final recipient.
  const passed = transfers.find((each) => each.token === paid.token && each.from === paid.to);
  const from = passed?.to ?? paid.to;
  if (BURN_ADDRESSES.has(from) || from === paid.token) return [];
  const ends = { from, to: paid.token, value: wrappedMoved(logged, 'from') };
  return [ofTransfer('lpRemoved', paid, ends)];
};

const removal = (logged: Logged, { pool, to }: BurnFact): GraphFact[] => {
  const { transfers, creatorOf } = logged;
  const paid = transfers.find((each) => each.from === pool && creatorOf(each.token) !== undefined);
  const share = transfers.find((each) => each.token === pool && each.to === pool);
  if (!paid || !share || BURN_ADDRESSES.has(share.from) || share.from === pool) return [];
  // A router that receives both sides passes the token on to the final recipient.
  const passed = transfers.find((each) => each.token === paid.token && each.from === to);
  const receiver = passed ? passed.to : to;
  const ends = { from: share.from, token: paid.token, value: wrappedMoved(logged, 'from') };
  const removed = ofTransfer('lpRemoved', share, { ...ends, to: paid.token });
  const isOwn = receiver === share.from || BURN_ADDRESSES.has(receiver);
  return isOwn ? [removed] : [removed, ofTransfer('lpPaid', share, { ...ends, to: receiver })];
};
