import type { BlockHeader, Hex } from '../../chain/block.ts';
import { isLowerHex, numberOf } from '../../decode/hex.ts';

import type { RawLog } from '../../decode/rawBlock.ts';
import { RpcError } from './rpcError.ts';

/** A header with the fields that cross-checks need. */
export interface RpcHeader extends BlockHeader {
  readonly logsBloom: unknown;
  readonly transactions: readonly unknown[];
}

const HASH_LENGTH = 66;
const ADDRESS_LENGTH = 42;

/** An object of an answer. @throws RpcError `answer` for anything else. */
export const objectOf = (
  value: unknown,
  endpoint: string,
  what: string,
): Record<string, unknown> => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new RpcError('answer', endpoint, `${what} is no object`);
};

/** An array of an answer. @throws RpcError `answer` for anything else. */
export const arrayOf = (value: unknown, endpoint: string, what: string): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  throw new RpcError('answer', endpoint, `${what} is no list`);
};

const hexText =
  (length?: number) =>
  (value: unknown, endpoint: string, what: string): Hex => {
    if (isLowerHex(value, length)) return value;
    const lower = typeof value === 'string' ? value.toLowerCase() : undefined;
    if (isLowerHex(lower, length)) return lower;
    throw new RpcError('answer', endpoint, `${what} is not what it should be`);
  };

/** A lower-case 32-byte hash. */
export const hashOf = hexText(HASH_LENGTH);
/** A lower-case address. */
export const addressOf = hexText(ADDRESS_LENGTH);
/** Lower-case hexadecimal of any length. */
export const hexOf = hexText();

/** A whole number. */
export const countOf = (value: unknown, endpoint: string, what: string): number => {
  const count = numberOf(value);
  if (Number.isNaN(count)) throw new RpcError('answer', endpoint, `${what} is no quantity`);
  return count;
};

/** Reads a block's header. Null: the node does not have the block. */
export const readHeader = (value: unknown, endpoint: string): RpcHeader | null => {
  if (value === null) return null;
  const block = objectOf(value, endpoint, 'block');
  return {
    number: countOf(block['number'], endpoint, 'block number'),
    hash: hashOf(block['hash'], endpoint, 'block hash'),
    parentHash: hashOf(block['parentHash'], endpoint, 'parent hash'),
    timestampS: countOf(block['timestamp'], endpoint, 'block timestamp'),
    logsBloom: block['logsBloom'],
    transactions: arrayOf(block['transactions'] ?? [], endpoint, 'transactions'),
  };
};

/** The plain header, without fields for checks only. */
export const plainHeader = ({
  number,
  hash,
  parentHash,
  timestampS,
}: BlockHeader): BlockHeader => ({
  number,
  hash,
  parentHash,
  timestampS,
});

const cleaned = (log: Record<string, unknown>, endpoint: string): RawLog => ({
  ...(log as unknown as RawLog),
  address: addressOf(log['address'], endpoint, 'log address'),
  blockHash: hashOf(log['blockHash'], endpoint, 'block hash of a log'),
  transactionHash: hashOf(log['transactionHash'], endpoint, 'transaction hash of a log'),
  data: hexOf(log['data'], endpoint, 'data of a log'),
  topics: arrayOf(log['topics'], endpoint, 'topics').map((topic) =>
    hashOf(topic, endpoint, 'topic'),
  ),
});

/**
 * Reads a list of logs and validates each: digits, and that it was not removed.
 * @throws RpcError `answer`.
 */
export const readLogs = (value: unknown, endpoint: string): readonly RawLog[] => {
  return arrayOf(value, endpoint, 'logs').map((item) => {
    const fields = objectOf(item, endpoint, 'log');
    const log = fields as unknown as RawLog;
    if (log.removed === true) throw new RpcError('answer', endpoint, 'a removed log among logs');
    if (!Array.isArray(log.topics) || !isPlaced(log)) {
      throw new RpcError('answer', endpoint, 'log without its place');
    }
    return cleaned(fields, endpoint);
  });
};

const isPlaced = ({ blockNumber, transactionIndex, logIndex }: RawLog): boolean =>
  !Number.isNaN(numberOf(blockNumber) + numberOf(transactionIndex) + numberOf(logIndex));
