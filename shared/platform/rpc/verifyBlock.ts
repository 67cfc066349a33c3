import type { Hex } from '../../chain/block.ts';
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

/** Statuses are missing before Byzantium: such a receipt counts as a success. */
const succeeded = (receipt: Fields | undefined): boolean =>
  receipt !== undefined &&
  (receipt['status'] === undefined || receipt['status'] === null || receipt['status'] === '0x1');

/** The call of a transaction that failed; one that is not written as calls are says nothing. */
const failedInputOf = (transaction: Fields, receipt: Fields | undefined): Hex | null => {
  const input = transaction['input'];
  return receipt?.['status'] === '0x0' && isLowerHex(input) ? input : null;
};

/** A transaction with what its receipt says; without a receipt it counts as failed. */
const transactionOf = (
  transaction: Fields,
  index: number,
  receipt: Fields | undefined,
  endpoint: string,
): VerifiedTransaction => {
  const to = transaction['to'] ?? null;
  const made = to === null ? (receipt?.['contractAddress'] ?? null) : null;
  return {
    hash: hashOf(transaction['hash'], endpoint, 'transaction hash'),
    index,
    from: addressOf(transaction['from'], endpoint, 'sender'),
    to: to === null ? null : addressOf(to, endpoint, 'recipient'),
    value: hexOf(transaction['value'], endpoint, 'transaction value'),
    succeeded: succeeded(receipt),
    failedInput: failedInputOf(transaction, receipt),
    contractAddress: made === null ? null : addressOf(made, endpoint, 'contract address'),
  };
};

/** Logs of one block: its hash, and positions that strictly increase. */
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
 * @throws RpcError `answer` where they disagree: number of receipts, transaction hashes, block
 * hash, order of logs, or a log the bloom promises is missing.
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
  const transactions = header.transactions.map((one, i) =>
    transactionOf(objectOf(one, endpoint, 'transaction'), i, receipts[i], endpoint),
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
  return verified(header, transactions, logs, bloom, endpoint);
};

const verified = (
  header: RpcHeader,
  transactions: readonly VerifiedTransaction[],
  logs: readonly RawLog[],
  bloom: BloomCheck,
  endpoint: string,
): VerifiedBlock => {
  checkLogs(header, logs, endpoint);
  if (bloom.provesMissing(header.logsBloom, logs)) {
    throw new RpcError('answer', endpoint, `block ${header.number} lacks logs its bloom promises`);
  }
  return { header: plainHeader(header), transactions, logs };
};

/**
 * The same from `eth_getLogs` by block hash, where a node has no `eth_getBlockReceipts`. Receipts
 * are needed only where the facts depend on them: creations and transfers of native value.
 * @throws RpcError `answer` where they disagree.
 */
export const verifyBlockOfLogs = (
  header: RpcHeader,
  logsAnswer: unknown,
  receiptAnswers: ReadonlyMap<string, unknown>,
  bloom: BloomCheck,
  endpoint: string,
): VerifiedBlock => {
  const transactions = header.transactions.map((one, i) => {
    const fields = objectOf(one, endpoint, 'transaction');
    const answer = receiptAnswers.get(String(fields['hash']));
    const receipt = answer === undefined ? undefined : objectOf(answer, endpoint, 'receipt');
    if (receipt && hashOf(receipt['blockHash'], endpoint, 'receipt') !== header.hash) {
      throw new RpcError('answer', endpoint, `receipt of another block than ${header.number}`);
    }
    return transactionOf(fields, i, receipt, endpoint);
  });
  const logs = readLogs(logsAnswer, endpoint);
  return verified(header, transactions, logs, bloom, endpoint);
};

/** Hashes of the transactions whose receipts matter to the facts. */
export const receiptsNeeded = (header: RpcHeader, endpoint: string): readonly string[] =>
  header.transactions
    .map((one) => objectOf(one, endpoint, 'transaction'))
    .filter((one) => (one['to'] ?? null) === null || movesValue(one['value']))
    .map((one) => String(one['hash']));

const movesValue = (value: unknown): boolean => typeof value === 'string' && !/^0x0*$/.test(value);

/**
 * Checks the logs of a range: inside it, in order, one hash a height, and of `to` the header's hash.
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
