import { isLowerHex, numberOf } from '../../decode/hex.ts';
import type { RawLog, VerifiedBlock, VerifiedTransaction } from '../../decode/rawBlock.ts';
import type { BloomCheck } from './bloom.ts';
import {
  addressOf,
  arrayOf,
  countOf,
  hashOf,
  hexOf,
  objectOf,
  plainHeader,
  type RpcHeader,
  readLogs,
} from './readAnswer.ts';
import { RpcError } from './rpcError.ts';

type Fields = Record<string, unknown>;

/**
 * A transaction with the result in its receipt. Receipts before Byzantium have no status: they count as successes.
 */
const transactionOf = (
  transaction: Fields,
  index: number,
  receipt: Fields,
  endpoint: string,
): VerifiedTransaction => {
  const { input, to = null } = transaction;
  const status = receipt['status'] ?? '0x1';
  const made = to === null ? (receipt['contractAddress'] ?? null) : null;
  return {
    hash: hashOf(transaction['hash'], endpoint, 'transaction hash'),
    index,
    from: addressOf(transaction['from'], endpoint, 'sender'),
    to: to === null ? null : addressOf(to, endpoint, 'recipient'),
    value: hexOf(transaction['value'], endpoint, 'transaction value'),
    succeeded: status === '0x1',
    // Malformed calldata says nothing.
    failedInput: status === '0x0' && isLowerHex(input) ? input : null,
    contractAddress: made === null ? null : addressOf(made, endpoint, 'contract address'),
  };
};

/** Checks the logs of one block: its hash, and strictly increasing positions. */
const checkLogs = (header: RpcHeader, logs: readonly RawLog[], endpoint: string): void => {
  let previous = -1;
  for (const log of logs) {
    const index = Number(log.logIndex);
    if (log.blockHash !== header.hash || Number(log.blockNumber) !== header.number) {
      throw new RpcError('answer', endpoint, `log of another block than ${header.number}`);
    }
    if (index <= previous) throw new RpcError('answer', endpoint, 'logs out of order');
    if (Number(log.transactionIndex) >= header.transactions.length) {
      throw new RpcError('answer', endpoint, 'log of a transaction the block does not hold');
    }
    previous = index;
  }
};

/**
 * Builds a block from its header with transactions and the receipts of all of them.
 * @throws RpcError `answer` if they disagree: number of receipts, transaction hashes, block hash, order of logs, or a
 * log that the bloom filter promises is missing.
 */
export const verifyBlock = (
  header: RpcHeader,
  receiptsAnswer: unknown,
  bloom: BloomCheck,
  endpoint: string,
): VerifiedBlock => {
  const receipts = arrayOf(receiptsAnswer, endpoint, 'receipts').map((one) =>
    objectOf(one, endpoint, 'receipt'),
  );
  if (receipts.length !== header.transactions.length) {
    const counts = `${receipts.length} receipts, ${header.transactions.length} transactions`;
    throw new RpcError('answer', endpoint, `block ${header.number}: ${counts}`);
  }
  const transactions = receipts.map((receipt, i) =>
    transactionOf(objectOf(header.transactions[i], endpoint, 'transaction'), i, receipt, endpoint),
  );
  const logs = receipts.flatMap((receipt, i) => {
    const sameTransaction =
      hashOf(receipt['transactionHash'], endpoint, 'receipt') === transactions[i]?.hash;
    if (!sameTransaction || hashOf(receipt['blockHash'], endpoint, 'receipt') !== header.hash) {
      throw new RpcError('answer', endpoint, `receipt of another block than ${header.number}`);
    }
    const own = readLogs(receipt['logs'], endpoint);
    if (own.some((log) => log.transactionHash !== transactions[i]?.hash)) {
      throw new RpcError('answer', endpoint, 'log of another transaction in a receipt');
    }
    return own;
  });
  checkLogs(header, logs, endpoint);
  if (bloom.provesMissing(header.logsBloom, logs)) {
    throw new RpcError('answer', endpoint, `block ${header.number} lacks logs its bloom promises`);
  }
  return { header: plainHeader(header), transactions, logs };
};

/**
 * Checks the logs of a range: inside it, in order, one hash per height, and the header's hash for `to`.
 * @throws RpcError `answer`.
 */
export const verifyRangeLogs = (
  logs: readonly RawLog[],
  from: number,
  to: RpcHeader,
  endpoint: string,
): void => {
  let text = '';
  let number = -1;
  let hash = '';
  let index = -1;
  for (const log of logs) {
    const position = numberOf(log.logIndex);
    if (log.blockNumber !== text) {
      const height = countOf(log.blockNumber, endpoint, 'block number of a log');
      if (height < from || height > to.number || height <= number) {
        throw new RpcError(
          'answer',
          endpoint,
          `log at ${height} outside the range or out of order`,
        );
      }
      if (height === to.number && log.blockHash !== to.hash) {
        throw new RpcError('answer', endpoint, `log of another block than ${height}`);
      }
      text = log.blockNumber;
      number = height;
      hash = log.blockHash;
    } else if (position <= index || log.blockHash !== hash) {
      throw new RpcError(
        'answer',
        endpoint,
        `logs of block ${number} out of order or of two blocks`,
      );
    }
    index = position;
  }
};
