import { createHash } from 'node:crypto';
import type { Hex } from '../../../shared/chain/block.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import { bloomOf, dataOf, tokenAnswers, topicOf } from '../../../shared/testing/evmData.ts';

type Fields = Record<string, unknown>;

export interface SyntheticLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: string;
  readonly blockHash: Hex;
  readonly blockTimestamp: string;
  readonly transactionHash: Hex;
  readonly transactionIndex: string;
  readonly logIndex: string;
  readonly removed: boolean;
}

export interface SyntheticChainOptions {
  readonly id: number;
  readonly first: number;
  readonly head: () => number;
  readonly weth: Hex;
}

/** Tokens of the chain, each with a pool. */
export const SYNTHETIC_TOKENS = 12;
const FINALITY_BLOCKS = 64;
const GENESIS_S = 1_600_000_000;
const BLOCK_S = 12;

const hex = (value: number): Hex => `0x${value.toString(16)}`;
const digest = (...parts: (string | number)[]): Hex =>
  `0x${createHash('sha256').update(parts.join(':')).digest('hex')}`;
const addressNamed = (...parts: (string | number)[]): Hex => `0x${digest(...parts).slice(2, 42)}`;
/** The i-th token and its pool. */
const syntheticToken = (i: number): Hex => addressNamed('token', i);
const syntheticPool = (i: number): Hex => addressNamed('pool', i);

interface Draft {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

const transfer = (token: Hex, from: Hex, to: Hex, value: number): Draft => ({
  address: token,
  topics: [TOPIC.transfer, topicOf(from), topicOf(to)],
  data: dataOf(value),
});

/** Sides of a pool in the order Uniswap keeps them. */
const sidesOf = (i: number, weth: Hex): readonly [Hex, Hex] =>
  weth < syntheticToken(i) ? [weth, syntheticToken(i)] : [syntheticToken(i), weth];

/** Contents of a block: always a transfer, often a trade, sometimes an ERC-721 transfer. */
const draftsOf = (number: number, first: number, weth: Hex): Draft[] => {
  const age = number - first;
  const i = age % SYNTHETIC_TOKENS;
  const trader = addressNamed('trader', number % 31);
  const drafts = [transfer(syntheticToken(i), syntheticPool(i), trader, number)];
  if (age < SYNTHETIC_TOKENS) {
    const [token0, token1] = sidesOf(i, weth);
    drafts.unshift({
      address: addressNamed('factory'),
      topics: [TOPIC.pairCreated, topicOf(token0), topicOf(token1)],
      data: dataOf(syntheticPool(i), i + 1),
    });
  }
  if (age % 3 === 0) {
    const data = dataOf(10n ** 18n + BigInt(number), 10n ** 19n - BigInt(number));
    drafts.push({ address: syntheticPool(i), topics: [TOPIC.sync], data });
  }
  if (age % 5 === 0) {
    const picture = transfer(addressNamed('pictures'), trader, trader, 0);
    drafts.push({ ...picture, topics: [...picture.topics, topicOf(number)], data: '0x' });
  }
  return drafts;
};

const answersOf = (address: string, weth: Hex): Record<string, string> | undefined => {
  const at = Array.from({ length: SYNTHETIC_TOKENS }, (_, i) => i);
  const pool = at.find((i) => syntheticPool(i) === address);
  if (pool !== undefined) {
    const [token0, token1] = sidesOf(pool, weth);
    return { '0x0dfe1681': dataOf(token0), '0xd21220a7': dataOf(token1) };
  }
  const token = at.find((i) => syntheticToken(i) === address);
  if (token === undefined && address !== weth) return undefined;
  return token === undefined
    ? tokenAnswers('Wrapped', 'WETH', 10 ** 9)
    : tokenAnswers(`Token ${token}`, `T${token}`, 10 ** 9);
};

export const createSyntheticChain = (options: SyntheticChainOptions) => {
  const { id, first, weth } = options;
  const hashOf = (number: number): Hex => digest('block', number);
  const txHashOf = (number: number): Hex => digest('transaction', number);
  const heights = new Map<string, number>();
  const timestampOf = (number: number): Hex => hex(GENESIS_S + BLOCK_S * (number - first));

  const logsOf = (number: number): SyntheticLog[] =>
    draftsOf(number, first, weth).map((draft, i) => ({
      ...draft,
      blockNumber: hex(number),
      blockHash: hashOf(number),
      blockTimestamp: timestampOf(number),
      transactionHash: txHashOf(number),
      transactionIndex: '0x0',
      logIndex: hex(i),
      removed: false,
    }));
  const block = (number: number, isFull: boolean): Fields => {
    heights.set(hashOf(number), number);
    const from = addressNamed('sender', number % 17);
    const to = addressNamed('router');
    const hash = txHashOf(number);
    const transaction = { hash, from, to, value: '0x0', input: '0x', transactionIndex: '0x0' };
    return {
      number: hex(number),
      hash: hashOf(number),
      parentHash: hashOf(number - 1),
      timestamp: timestampOf(number),
      logsBloom: bloomOf(
        draftsOf(number, first, weth).flatMap(({ address, topics }) => [address, ...topics]),
      ),
      transactions: [isFull ? transaction : hash],
    };
  };
  return {
    id,
    first,
    /** Highest block that exists by now. */
    head: options.head,
    /** The final block of a node whose head is at `head`. */
    finalized: (head: number): number => Math.max(first, head - FINALITY_BLOCKS),
    block,
    header: (number: number): Fields | undefined =>
      number >= first ? block(number, false) : undefined,
    heightOfHash: (hash: string): number | undefined => heights.get(hash),
    receipts: (number: number): readonly Fields[] => [
      {
        transactionHash: txHashOf(number),
        blockHash: hashOf(number),
        from: addressNamed('sender', number % 17),
        status: '0x1',
        contractAddress: null,
        logs: logsOf(number),
      },
    ],
    logs: (from: number, to: number, topics: readonly string[]): readonly SyntheticLog[] => {
      const found: SyntheticLog[] = [];
      for (let number = Math.max(from, first); number <= to; number += 1) {
        found.push(...logsOf(number).filter((log) => topics.includes(log.topics[0] ?? '')));
      }
      return found;
    },
    code: (address: string): string => (answersOf(address, weth) ? '0x6001' : '0x'),
    /** The result of a call; undefined if it reverts. */
    call: ({ to, data }: { readonly to: string; readonly data: string }): string | undefined =>
      answersOf(to, weth)?.[data.slice(0, 10)],
    hex,
  };
};
/** A chain that is a function of the height: tokens, pools and trades, with correct bloom filters. */
export type SyntheticChain = ReturnType<typeof createSyntheticChain>;
