import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type {
  BurnFact,
  Fact,
  MarketFact,
  MintFact,
  SwapFact,
  TransferFact,
} from '../../../shared/chain/fact.ts';
import type { PoolSides } from './poolSides.ts';
import { type Amounts, type Depth, NOTHING, type PoolStep } from './poolSteps.ts';
import type { TickBook } from './tickBook.ts';

/** Token transfers by their transaction. */
export type TransfersByTx = ReadonlyMap<Hex, readonly TransferFact[]>;

/** Token transfers of the transactions that contain these events. */
export const transfersOf = (
  facts: readonly Fact[],
  events: readonly MarketFact[],
): TransfersByTx => {
  const transfers = new Map<Hex, TransferFact[]>(events.map(({ txHash }) => [txHash, []]));
  if (transfers.size === 0) return transfers;
  for (const fact of facts) {
    if (fact.kind === 'transfer') transfers.get(fact.txHash)?.push(fact);
  }
  return transfers;
};

/** A concentrated-liquidity market, with the fields that its steps need. */
export interface TickMarket {
  /** The holder of its tokens: the pool, or its manager. */
  readonly holder: Hex;
  readonly sides: PoolSides;
  readonly book: TickBook;
}

/**
 * The changes of one block to a concentrated-liquidity market. The output of a sale of the whole supply takes the
 * place of reserves. Liquidity counts as gone at `burn`; the later payout (`collect`) changes nothing more.
 */
export const tickSteps = (
  { holder, sides, book }: TickMarket,
  events: readonly MarketFact[],
  transfers: TransfersByTx,
  number: number,
): PoolStep[] =>
  events.flatMap((fact): PoolStep[] => {
    const { kind, txHash, logIndex } = fact;
    if (kind !== 'swap' && kind !== 'mint' && kind !== 'burn') {
      book.apply(number, fact);
      return [];
    }
    const before = book.depth(sides.isBase0);
    book.apply(number, fact);
    const reserves = book.depth(sides.isBase0);
    const moved = movedBy(fact, before, reserves);
    const wallets = walletsOf(fact, holder, sides, transfers.get(txHash) ?? []);
    return [{ txHash, logIndex, kind, reserves, before, ...moved, wallets }];
  });

/**
 * Amounts of a trade, from its log. For a position the change of depth: its log also includes amounts out of range,
 * and none at all on Uniswap V4.
 */
const movedBy = (
  fact: SwapFact | MintFact | BurnFact,
  before: Depth,
  after: Depth,
): { received: Amounts; paid: Amounts } => {
  if (fact.kind === 'swap') {
    return {
      received: { amount0: Number(fact.amount0In), amount1: Number(fact.amount1In) },
      paid: { amount0: Number(fact.amount0Out), amount1: Number(fact.amount1Out) },
    };
  }
  const [more, less] = fact.kind === 'mint' ? [after, before] : [before, after];
  const moved = {
    amount0: Math.max(0, more.amount0 - less.amount0),
    amount1: Math.max(0, more.amount1 - less.amount1),
  };
  return fact.kind === 'mint'
    ? { received: moved, paid: NOTHING }
    : { received: NOTHING, paid: moved };
};

/** Who gave tokens of the market to its holder in the transaction, and who was paid. */
const walletsOf = (
  fact: SwapFact | MintFact | BurnFact,
  holder: Hex,
  { token, base }: PoolSides,
  transfers: readonly TransferFact[],
): Hex[] => {
  const wallets = new Set<Hex>();
  const own = transfers.filter((transfer) => transfer.token === token || transfer.token === base);
  for (const { from, to } of own) if (to === holder && fact.kind !== 'burn') wallets.add(from);
  if (fact.kind !== 'mint') {
    if (fact.kind === 'burn') wallets.add(fact.sender);
    for (const { from, to } of own) if (from === holder) wallets.add(to);
    wallets.add(fact.to);
  }
  wallets.delete(ZERO_ADDRESS);
  return [...wallets];
};
