import { createHash } from 'node:crypto';
import type { BlockHeader, Hex } from '../../../shared/chain/block.ts';
import { FACT_TOPICS } from '../../../shared/decode/decodeLog.ts';
import type {
  RawLog,
  VerifiedBlock,
  VerifiedTransaction,
} from '../../../shared/decode/rawBlock.ts';
import type { ChainSource } from '../../../shared/platform/rpc/createRpc.ts';

/** A transaction of a scripted block; its position and hashes are filled in. */
export interface FakeTransaction {
  readonly from: Hex;
  /** Null, the default, where `creates` is set. */
  readonly to?: Hex | null;
  readonly value?: Hex;
  readonly failed?: boolean;
  readonly creates?: Hex;
  readonly logs?: readonly Pick<RawLog, 'address' | 'topics' | 'data'>[];
}

/** What a block holds, in order. */
export type FakeBlock = readonly FakeTransaction[];

/** First block's time, Unix seconds, and the distance to the next. */
const GENESIS_S = 1_600_000_000;
const BLOCK_S = 12;

const digest = (...parts: readonly (string | number)[]): Hex =>
  `0x${createHash('sha256').update(parts.join(':')).digest('hex')}`;
const hex = (value: number): Hex => `0x${value.toString(16)}`;

const build = (header: BlockHeader, block: FakeBlock): VerifiedBlock => {
  const transactions: VerifiedTransaction[] = block.map((one, index) => ({
    hash: digest('tx', header.hash, index),
    index,
    from: one.from,
    to: one.creates ? null : (one.to ?? one.from),
    value: one.value ?? '0x0',
    succeeded: !one.failed,
    failedInput: null,
    contractAddress: one.creates ?? null,
  }));
  let logIndex = 0;
  const logs = block.flatMap((one, index) =>
    (one.logs ?? []).map((log): RawLog => {
      const place = { blockNumber: hex(header.number), blockHash: header.hash };
      const transactionHash = digest('tx', header.hash, index);
      const at = { transactionIndex: hex(index), logIndex: hex(logIndex++) };
      return {
        ...log,
        ...place,
        ...at,
        transactionHash,
        blockTimestamp: hex(header.timestampS),
        removed: false,
      };
    }),
  );
  return { header, transactions, logs };
};

/**
 * A chain with an empty genesis block. The same script gives the same hashes.
 * @param blockS seconds from block to block
 */
export const createFakeChain = (name = 'chain', blockS = BLOCK_S) => {
  const known = new Map<Hex, VerifiedBlock>();
  let blocks: VerifiedBlock[] = [];
  let mined = 0;
  const mine = (block: FakeBlock = []): BlockHeader => {
    const parent = blocks.at(-1)?.header;
    const number = blocks.length;
    const header: BlockHeader = {
      number,
      hash: digest('block', name, mined++),
      parentHash: parent?.hash ?? digest('no block', name),
      timestampS: GENESIS_S + number * blockS,
    };
    const made = build(header, block);
    known.set(header.hash, made);
    blocks.push(made);
    return header;
  };
  const branch = (tip: Hex): VerifiedBlock[] => {
    const found: VerifiedBlock[] = [];
    for (let block = known.get(tip); block; block = known.get(block.header.parentHash))
      found.unshift(block);
    return found;
  };
  const genesis = mine();
  return {
    /** Adds a block on top. */
    mine,
    /** Drops the last `depth` blocks and mines others in their place. */
    reorg: (depth: number, replacements: readonly FakeBlock[]): void => {
      blocks = blocks.slice(0, blocks.length - depth);
      for (const block of replacements) mine(block);
    },
    /** The blocks of a branch up to its tip, ascending from 0. */
    branch,
    /** Returns to an abandoned branch: its tip becomes the head again. */
    restore: (tip: Hex): void => {
      blocks = branch(tip);
    },
    head: (): BlockHeader => blocks.at(-1)?.header ?? genesis,
    /** The canonical block at a height. */
    block: (number: number): VerifiedBlock | undefined => blocks[number],
    /** Any block ever mined. */
    byHash: (hash: Hex): VerifiedBlock | undefined => known.get(hash),
    /** All canonical blocks, ascending from 0. */
    canonical: (): readonly VerifiedBlock[] => blocks,
  };
};
/** A scripted chain, with its abandoned branches. */
export type FakeChain = ReturnType<typeof createFakeChain>;

/** A node's view of a chain. */
export interface FakeNodeOptions {
  readonly name?: string;
  /**
   * Depth below its head that it calls final, read at every call; null: it does not support the `finalized` tag.
   */
  readonly finalityDepth?: () => number | null;
  /** Blocks by which it is behind, read at every call. */
  readonly lag?: () => number;
  /** Called before every call; throws the node's failure. */
  readonly before?: (
    call: 'follow' | 'header' | 'range' | 'blocks',
    from: number,
    to: number,
  ) => void;
}

/** A node on a fake chain, or on a branch of it. `missing` is thrown for unknown blocks. */
export const createFakeSource = (
  chain: Pick<FakeChain, 'head' | 'block' | 'byHash'>,
  missing: (what: string) => Error,
  options: FakeNodeOptions = {},
): ChainSource => {
  const {
    name = 'node',
    finalityDepth = () => 64,
    lag = () => 0,
    before = () => undefined,
  } = options;
  const headNumber = (): number => Math.max(0, chain.head().number - lag());
  const at = (number: number): VerifiedBlock => {
    const block = number <= headNumber() ? chain.block(number) : undefined;
    if (!block) throw missing(`no block ${number}`);
    return block;
  };
  const between = (from: number, to: number): VerifiedBlock[] =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => at(from + i));
  return {
    follow: async (next, count) => {
      before('follow', next, next + count - 1);
      const head = headNumber();
      const depth = finalityDepth();
      const finalized = depth === null ? null : at(Math.max(0, head - depth)).header;
      const blocks = between(next, Math.min(head, next + count - 1));
      return { head: at(head).header, finalized, blocks, endpoint: name };
    },
    header: async (id) => {
      before('header', Number(id), Number(id));
      const block = typeof id === 'number' ? at(id) : chain.byHash(id);
      if (!block) throw missing(`no block ${id}`);
      return block.header;
    },
    range: async (from, to) => {
      before('range', from, to);
      const blocks = between(from, to);
      const logs = blocks.flatMap((block) =>
        block.logs.filter((log) => FACT_TOPICS.some((topic) => topic === log.topics[0])),
      );
      const timestampsS = new Map(blocks.map(({ header }) => [header.number, header.timestampS]));
      return { from, to: at(to).header, logs, timestampsS };
    },
    blocks: async (from, to) => {
      before('blocks', from, to);
      return between(from, to);
    },
  };
};
