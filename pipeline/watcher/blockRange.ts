import type { BlockHeader } from '../../shared/chain/block.ts';
import type { BlockFacts, BlocksEvent } from '../../shared/chain/chainEvent.ts';
import type { Fact } from '../../shared/chain/fact.ts';
import { decodeLog } from '../../shared/decode/decodeLog.ts';
import { failedSaleOf } from '../../shared/decode/failedSale.ts';
import { quantityAt } from '../../shared/decode/hex.ts';
import { positionMoves } from '../../shared/decode/lockers.ts';
import type { IgnoredReason } from '../../shared/decode/logShape.ts';
import type {
  RawLog,
  VerifiedBlock,
  VerifiedRange,
  VerifiedTransaction,
} from '../../shared/decode/rawBlock.ts';
import { completeCurves } from '../../shared/decode/virtuals.ts';
import { FACTS_PER_MESSAGE_MAX } from '../../shared/messages/chainMessage.ts';

/**
 * Maximum published failed sales per block: some 50 kB, and more than a block contains unless somebody filled it on
 * purpose.
 */
const FAILED_SALES_PER_BLOCK_MAX = 200;

/** A contiguous part of the chain, decoded and ready to be published. */
export interface BlockRange {
  readonly from: number;
  /** Header of the first block if known: its parent must be the tip. */
  readonly first: BlockHeader | undefined;
  readonly to: BlockHeader;
  /** Blocks with at least one fact, ascending. */
  readonly blocks: readonly BlockFacts[];
  readonly facts: number;
  /** Logs that are not facts, by reason. */
  readonly ignored: Partial<Record<IgnoredReason, number>>;
  /** Failed sales beyond FAILED_SALES_PER_BLOCK_MAX of their block. */
  readonly failedSalesSkipped: number;
}

type Ignored = BlockRange['ignored'];

const decodeInto = (log: RawLog, facts: Fact[], ignored: Ignored): void => {
  const fact = decodeLog(log);
  if (typeof fact === 'string') ignored[fact] = (ignored[fact] ?? 0) + 1;
  else facts.push(fact);
};

/**
 * Adds what a single log does not say: the pool of a position whose liquidity grew, from the pool's earlier log in
 * the transaction; and the NFTs that moved where something was locked or a position changed.
 */
const completeLocks = (facts: Fact[], logs: readonly RawLog[]): void => {
  const locking = new Set(facts.flatMap((fact) => (fact.kind === 'lock' ? fact.txHash : [])));
  if (locking.size === 0) return;
  for (const [at, fact] of facts.entries()) {
    if (fact.kind !== 'lock' || fact.act !== 'increased') continue;
    const mint = facts
      .slice(0, at)
      .findLast(
        (one) =>
          one.kind === 'mint' &&
          one.txHash === fact.txHash &&
          one.range?.owner === fact.asset &&
          one.range.liquidity === fact.amount,
      );
    if (mint?.kind === 'mint') facts[at] = { ...fact, market: mint.pool };
  }
  facts.push(...positionMoves(logs, locking));
};

const isZero = (value: string): boolean => /^0x0*$/.test(value);

/** The facts that a transaction states without a log: a creation, and received native value. */
const transactionFacts = (transaction: VerifiedTransaction): Fact[] => {
  const { hash: txHash, index: txIndex, from, to, value, succeeded, contractAddress } = transaction;
  if (!succeeded) return [];
  const facts: Fact[] = [];
  if (to === null && contractAddress !== null) {
    facts.push({ kind: 'creation', contract: contractAddress, creator: from, txHash, txIndex });
  }
  const recipient = to ?? contractAddress;
  if (recipient !== null && !isZero(value)) {
    const amount = quantityAt(value, 2, value.length);
    facts.push({ kind: 'nativeTransfer', from, to: recipient, value: amount, txHash, txIndex });
  }
  return facts;
};

/** All facts of a block, in the order of its transactions. */
const blockFacts = (block: VerifiedBlock, ignored: Ignored): Fact[] => {
  const facts: Fact[] = [];
  let log = 0;
  for (const transaction of block.transactions) {
    facts.push(...transactionFacts(transaction));
    for (; Number(block.logs[log]?.transactionIndex) === transaction.index; log += 1) {
      const found = block.logs[log];
      if (found) decodeInto(found, facts, ignored);
    }
  }
  // Logs after those of the last transaction: of system transactions that some chains leave out of blocks.
  for (const rest of block.logs.slice(log)) decodeInto(rest, facts, ignored);
  completeCurves(facts);
  completeLocks(facts, block.logs);
  return facts;
};

/** The failed sales of a block, up to the limit. */
const failedSales = (block: VerifiedBlock): { sales: Fact[]; skipped: number } => {
  const sales = block.transactions.flatMap((transaction) => failedSaleOf(transaction) ?? []);
  const skipped = Math.max(0, sales.length - FAILED_SALES_PER_BLOCK_MAX);
  return { sales: sales.slice(0, FAILED_SALES_PER_BLOCK_MAX), skipped };
};

/** Decodes full blocks. The list must not be empty. */
export const rangeOfBlocks = (blocks: readonly VerifiedBlock[]): BlockRange => {
  const ignored: Ignored = {};
  const first = blocks[0];
  const last = blocks.at(-1);
  if (!first || !last) throw new Error('a range has at least one block');
  let failedSalesSkipped = 0;
  const listed = blocks
    .map((block) => {
      const { number, hash, timestampS } = block.header;
      const { sales, skipped } = failedSales(block);
      failedSalesSkipped += skipped;
      return { number, hash, timestampS, facts: [...blockFacts(block, ignored), ...sales] };
    })
    .filter((block) => block.facts.length > 0);
  const facts = listed.reduce((sum, block) => sum + block.facts.length, 0);
  return {
    from: first.header.number,
    first: first.header,
    to: last.header,
    blocks: listed,
    facts,
    ignored,
    failedSalesSkipped,
  };
};

/** Decodes the logs of a range: the same log facts as from full blocks, and nothing else. */
export const rangeOfLogs = (read: VerifiedRange): BlockRange => {
  const ignored: Ignored = {};
  const blocks: BlockFacts[] = [];
  let facts: Fact[] = [];
  let current = '';
  let first = 0;
  for (const [at, log] of read.logs.entries()) {
    if (log.blockNumber !== current) {
      completeCurves(facts);
      completeLocks(facts, read.logs.slice(first, at));
      facts = [];
      current = log.blockNumber;
      first = at;
      const number = Number(log.blockNumber);
      const timestampS = read.timestampsS.get(number) ?? 0;
      blocks.push({ number, hash: log.blockHash, timestampS, facts });
    }
    decodeInto(log, facts, ignored);
  }
  completeCurves(facts);
  completeLocks(facts, read.logs.slice(first));
  const listed = blocks.filter((block) => block.facts.length > 0);
  const count = listed.reduce((sum, block) => sum + block.facts.length, 0);
  return {
    from: read.from,
    first: undefined,
    to: read.to,
    blocks: listed,
    facts: count,
    ignored,
    failedSalesSkipped: 0,
  };
};

/** Fields of a range's events besides its facts. */
interface BlockRangeContext {
  readonly chainId: number;
  readonly epoch: number;
  readonly head: number;
  /** Unix milliseconds. */
  readonly readAtMs: number;
  /** Pieces of this range that an earlier attempt published: their numbers are not used again. */
  readonly chunksBefore: number;
}

/** Splits facts into groups of at most FACTS_PER_MESSAGE_MAX, within blocks if necessary. */
const groupsOf = (blocks: readonly BlockFacts[]): BlockFacts[][] => {
  const groups: BlockFacts[][] = [[]];
  let room = FACTS_PER_MESSAGE_MAX;
  for (const block of blocks) {
    for (let at = 0; at < block.facts.length; ) {
      if (room === 0) {
        groups.push([]);
        room = FACTS_PER_MESSAGE_MAX;
      }
      const part = block.facts.slice(at, at + room);
      groups.at(-1)?.push(part.length === block.facts.length ? block : { ...block, facts: part });
      at += part.length;
      room -= part.length;
    }
  }
  return groups;
};

/**
 * The events of one range, of which the last completes it. A full message stays below CHAIN_MESSAGE_BYTES_MAX: the
 * longest fact (a V4 swap) has some 800 bytes, a block's heading 130.
 */
export const cutRange = (range: BlockRange, context: BlockRangeContext): BlocksEvent[] => {
  const { chainId, epoch, head, readAtMs, chunksBefore } = context;
  const { number, hash, parentHash, timestampS } = range.to;
  const groups = groupsOf(range.blocks);
  return groups.map((blocks, i) => ({
    kind: 'blocks',
    chainId,
    epoch,
    from: range.from,
    to: { number, hash, parentHash, timestampS },
    blocks,
    chunk: chunksBefore + i,
    last: i === groups.length - 1,
    head: Math.max(head, number),
    readAtMs,
  }));
};
