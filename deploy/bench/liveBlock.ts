import { randomBytes } from 'node:crypto';
import {
  ownershipLog,
  pairCreatedLog,
  syncLog,
  transferLog,
} from '../../pipeline/testing/simulation/programme.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressOf, bloomOf } from '../../shared/testing/evmData.ts';

/** Contents of a block of a busy chain. */
export interface BlockPlan {
  readonly transfers: number;
  /** Changes of ownership, each of a watched token of its own. */
  readonly touched: number;
  /** Whether it creates the pools that later blocks trade in. */
  readonly isFirst: boolean;
}

/** A block as a node serves it: answers are prepared in advance. */
export interface LiveBlock {
  readonly number: number;
  readonly hash: Hex;
  /** The announcement of a new head. */
  readonly headText: string;
  /** The block with hashes of its transactions, and with all of them. */
  readonly header: Buffer;
  readonly full: Buffer;
  readonly receipts: Buffer;
}

type Log = ReturnType<typeof transferLog>;

const TOKENS = 2_000;
const TRANSFERS_PER_TRADE = 10;
const ETHER = 10n ** 18n;
const START_S = 1_700_000_000;
/**
 * Block time as on mainnet, however fast blocks are produced: data kept for an hour of the chain accumulates within
 * minutes.
 */
const BLOCK_TIME_S = 12;
/** Fields of receipts that are not read. */
const NO_BLOOM = bloomOf([]);
const INPUT = `0xa9059cbb${'0'.repeat(128)}`;

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`;
const random = (bytes: number): Hex => `0x${randomBytes(bytes).toString('hex')}`;
const tokenAt = (n: number): Hex => addressOf(0x2000_0000 + (n % TOKENS));
const poolAt = (n: number): Hex => addressOf(0x1000_0000 + (n % TOKENS));

/** The wrapped native token of this chain. */
export const LIVE_WETH: Hex = addressOf(0xbee);
/** Tokens whose owners change. */
export const touchedToken = (n: number): Hex => addressOf(0x3000_0000 + n);

const pools = (): Log[][] =>
  Array.from({ length: TOKENS }, (_, n) => [
    pairCreatedLog(addressOf(1), poolAt(n), tokenAt(n), LIVE_WETH),
    syncLog(poolAt(n), ETHER, ETHER),
  ]);

/** Transactions by their logs: transfers, every tenth of them a trade, and what is watched, spread evenly. */
const logsOf = (number: number, { transfers, touched, isFirst }: BlockPlan): Log[][] => {
  const all = isFirst ? pools() : [];
  const every = Math.max(1, Math.floor(transfers / Math.max(1, touched)));
  for (let i = 0; i < Math.max(transfers, touched); i += 1) {
    const n = number + i;
    const transaction = [transferLog(tokenAt(n), random(20), random(20), 1n)];
    if (i % TRANSFERS_PER_TRADE === 0) {
      transaction.push(syncLog(poolAt(n), ETHER, ETHER + BigInt(i)));
    }
    all.push(transaction);
    if (i % every === 0 && i / every < touched) {
      all.push([ownershipLog(touchedToken(i / every), random(20), random(20))]);
    }
  }
  return all;
};

/** Creates the block after `parent`, with every field that a node sends. */
export const makeBlock = (number: number, parent: Hex, plan: BlockPlan): LiveBlock => {
  const hash = random(32);
  const place = { blockNumber: hex(number), blockHash: hash };
  const transactions: { readonly hash: Hex }[] = [];
  const receipts: object[] = [];
  let logIndex = 0;
  const all = logsOf(number, plan);
  for (const [i, logs] of all.entries()) {
    const transactionHash = random(32);
    const at = { ...place, transactionIndex: hex(i) };
    const ends = { from: random(20), to: logs[0]?.address ?? LIVE_WETH };
    const gas = { gas: '0xc350', gasPrice: '0x3b9aca00', nonce: hex(i), chainId: '0x1' };
    const signature = { v: '0x0', r: random(32), s: random(32) };
    const kind = { type: '0x2', value: '0x0', input: INPUT };
    transactions.push({ ...at, hash: transactionHash, ...ends, ...kind, ...gas, ...signature });
    receipts.push({
      ...at,
      transactionHash,
      ...ends,
      contractAddress: null,
      status: '0x1',
      type: '0x2',
      cumulativeGasUsed: hex(50_000 * (i + 1)),
      gasUsed: '0xc350',
      effectiveGasPrice: '0x3b9aca00',
      logsBloom: NO_BLOOM,
      logs: logs.map((log) => {
        const index = hex(logIndex);
        logIndex += 1;
        return { ...log, ...at, transactionHash, logIndex: index, removed: false };
      }),
    });
  }
  const header = {
    number: hex(number),
    hash,
    parentHash: parent,
    timestamp: hex(START_S + number * BLOCK_TIME_S),
    logsBloom: bloomOf(all.flat().flatMap(({ address, topics }) => [address, ...topics])),
    gasLimit: hex(30_000_000),
  };
  const encode = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  return {
    number,
    hash,
    headText: JSON.stringify(header),
    header: encode({ ...header, transactions: transactions.map((one) => one.hash) }),
    full: encode({ ...header, transactions }),
    receipts: encode(receipts),
  };
};
