import { createHash } from 'node:crypto';
import { TOPIC } from '../../shared/decode/topic.ts';

/** A chain of ERC-20 transfers, the same for the same options. Nothing of it is stored. */
export interface SyntheticChain {
  readonly firstBlock: number;
  /** Last block that has transfers. */
  readonly lastBlock: number;
  /** Empty blocks follow up to this one, so that all transfers are far below the head. */
  readonly head: number;
  readonly transfers: number;
  /** Appends the logs of a block to `out`; returns the new end of `out`. */
  writeLogs(number: number, out: Buffer, at: number): number;
  /** Every log is of a transaction of its own. */
  transactionsOf(number: number): { readonly hash: string; readonly index: number }[];
  transfersOf(number: number): number;
  /** Lower-case text after `0x`. */
  hashOf(number: number): string;
  timestampOf(number: number): number;
  /** Expected sums over all rows. */
  totals(): ChainTotals;
}

/** Sums over all transfers: equal sums and counts mean equal rows. */
export interface ChainTotals {
  readonly transfers: number;
  readonly tokens: number;
  readonly blockNumbers: bigint;
  readonly logIndices: bigint;
  readonly values: bigint;
}

/** Heights in this range have seven digits, so every log has the same length. */
const FIRST_BLOCK = 0x100_0000;
const FIRST_TIMESTAMP_S = 0x6500_0000;
const BLOCK_TIME_S = 12;
const EMPTY_BLOCKS = 320;
/** Two neighbouring blocks have this many transfers together. */
const TRANSFERS_PER_PAIR = 100;
const TRANSFERS_PER_BLOCK_MIN = 25;
const TRANSFERS_PER_BLOCK_MAX = TRANSFERS_PER_PAIR - TRANSFERS_PER_BLOCK_MIN;
export const TOKENS = 500;
const WALLETS = 40_000;
const VALUE_DIGITS = 12;
const HASH_DIGITS = 64;
const ADDRESS_DIGITS = 40;
const RANDOM_DIGITS = 1 << 20;
/** Length of the longest log, which a caller must reserve. */
export const LOG_BYTES_MAX = 1_400;

/** Hexadecimal digits that look random but are always the same. */
const digitsOf = (seed: string, length: number): Buffer => {
  const parts: string[] = [];
  for (let i = 0; i * HASH_DIGITS < length; i += 1) {
    parts.push(createHash('sha256').update(`${seed}:${i}`).digest('hex'));
  }
  return Buffer.from(parts.join('').slice(0, length));
};

/** Mixes a counter into 32 bits. Finalizer of MurmurHash3. */
const mix = (value: number): number => {
  let h = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

/** A log template with placeholders, and their positions. */
interface LogTemplate {
  readonly index: number;
  readonly bytes: Buffer;
  readonly holes: Readonly<Record<Hole, number>>;
}
type Hole = 'address' | 'from' | 'to' | 'value' | 'number' | 'hash' | 'txHash' | 'time';

const HOLE_DIGITS: Readonly<Record<Hole, number>> = {
  address: ADDRESS_DIGITS,
  from: ADDRESS_DIGITS,
  to: ADDRESS_DIGITS,
  value: VALUE_DIGITS,
  number: 7,
  hash: HASH_DIGITS,
  txHash: HASH_DIGITS,
  time: 8,
};

const templateOf = (index: number): LogTemplate => {
  const holes = {} as Record<Hole, number>;
  let text = ',{"address":"0x';
  const hole = (name: Hole, after: string): void => {
    holes[name] = text.length;
    text += '0'.repeat(HOLE_DIGITS[name]) + after;
  };
  hole('address', `","topics":["${TOPIC.transfer}","0x${'0'.repeat(24)}`);
  hole('from', `","0x${'0'.repeat(24)}`);
  hole('to', `"],"data":"0x${'0'.repeat(HASH_DIGITS - VALUE_DIGITS)}`);
  hole('value', '","blockNumber":"0x');
  hole('number', '","transactionHash":"0x');
  hole('txHash', `","transactionIndex":"0x${index.toString(16)}","blockHash":"0x`);
  hole('hash', '","blockTimestamp":"0x');
  hole('time', `","logIndex":"0x${index.toString(16)}","removed":false}`);
  return { index, bytes: Buffer.from(text), holes };
};

const transfersAt = (number: number): number => {
  const extra = mix(number & ~1) % (TRANSFERS_PER_PAIR - 2 * TRANSFERS_PER_BLOCK_MIN + 1);
  return number % 2 === 0 ? TRANSFERS_PER_BLOCK_MIN + extra : TRANSFERS_PER_BLOCK_MAX - extra;
};
const timestampOf = (number: number): number =>
  FIRST_TIMESTAMP_S + (number - FIRST_BLOCK) * BLOCK_TIME_S;
const seedOf = (number: number, index: number): number => number * 128 + index;
/** Where in the random digits the value of a transfer begins. */
const valueAt = (seed: number): number => mix(seed ^ 0x5bd1) % (RANDOM_DIGITS - VALUE_DIGITS);
/** Where in the random digits the hash of a transaction begins. */
const txHashAt = (number: number, index: number): number =>
  mix(seedOf(number, index) ^ 0x7777) % (RANDOM_DIGITS - HASH_DIGITS);
/** A few tokens are popular, most are not. */
const tokenAt = (seed: number): number => Math.floor(TOKENS * (mix(seed) / 2 ** 32) ** 2);

const totalsOf = (random: Buffer, lastBlock: number): ChainTotals => {
  let [transfers, blockNumbers, logIndices, values] = [0, 0n, 0n, 0n];
  const seen = new Set<number>();
  for (let number = FIRST_BLOCK; number <= lastBlock; number += 1) {
    const count = transfersAt(number);
    transfers += count;
    blockNumbers += BigInt(number) * BigInt(count);
    logIndices += BigInt((count * (count - 1)) / 2);
    for (let i = 0; i < count; i += 1) {
      const start = valueAt(seedOf(number, i));
      const digits = random.toString('latin1', start, start + VALUE_DIGITS);
      values += BigInt(Number.parseInt(digits, 16));
      seen.add(tokenAt(seedOf(number, i)));
    }
  }
  return { transfers, tokens: seen.size, blockNumbers, logIndices, values };
};

export const createSyntheticChain = (blocks: number): SyntheticChain => {
  const random = digitsOf('random', RANDOM_DIGITS);
  const tokens = digitsOf('tokens', TOKENS * ADDRESS_DIGITS);
  const wallets = digitsOf('wallets', WALLETS * ADDRESS_DIGITS);
  const templates = Array.from({ length: TRANSFERS_PER_BLOCK_MAX }, (_, i) => templateOf(i));
  const lastBlock = FIRST_BLOCK + blocks - 1;
  const hashOf = (number: number): string => {
    const start = mix(number) % (RANDOM_DIGITS - HASH_DIGITS);
    return number.toString(16).padStart(8, '0') + random.toString('latin1', start, start + 56);
  };
  const transfersOf = (number: number): number =>
    number < FIRST_BLOCK || number > lastBlock ? 0 : transfersAt(number);

  const templatesOf = (number: number): readonly LogTemplate[] =>
    templates.slice(0, transfersOf(number));

  const writeLogs: SyntheticChain['writeLogs'] = (number, out, begin) => {
    const time = timestampOf(number).toString(16);
    const fixed = Buffer.from(number.toString(16) + hashOf(number) + time);
    let at = begin;
    const put = (from: Buffer, start: number, name: Hole, hole: number): void => {
      from.copy(out, at + hole, start, start + HOLE_DIGITS[name]);
    };
    for (const { index, bytes, holes } of templatesOf(number)) {
      bytes.copy(out, at);
      const seed = seedOf(number, index);
      put(tokens, tokenAt(seed) * ADDRESS_DIGITS, 'address', holes.address);
      put(wallets, (mix(seed ^ 0x1234) % WALLETS) * ADDRESS_DIGITS, 'from', holes.from);
      put(wallets, (mix(seed ^ 0x9876) % WALLETS) * ADDRESS_DIGITS, 'to', holes.to);
      put(random, valueAt(seed), 'value', holes.value);
      put(random, txHashAt(number, index), 'txHash', holes.txHash);
      put(fixed, 0, 'number', holes.number);
      put(fixed, 7, 'hash', holes.hash);
      put(fixed, 7 + HASH_DIGITS, 'time', holes.time);
      at += bytes.length;
    }
    return at;
  };

  return {
    firstBlock: FIRST_BLOCK,
    lastBlock,
    head: lastBlock + EMPTY_BLOCKS,
    transfers: (blocks / 2) * TRANSFERS_PER_PAIR,
    writeLogs,
    transactionsOf: (number) =>
      templatesOf(number).map(({ index }) => {
        const start = txHashAt(number, index);
        return { index, hash: random.toString('latin1', start, start + HASH_DIGITS) };
      }),
    transfersOf,
    hashOf,
    timestampOf,
    totals: () => totalsOf(random, lastBlock),
  };
};
