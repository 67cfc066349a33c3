import { z } from 'zod';
import { addressWord } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { resultOf } from '../simulation/readOutcomes.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type { ContractSubject } from './contractProfile.ts';
import { storedAddresses } from './contractState.ts';

/** Accounts taken from a creation: each may cost a storage read for each power. */
const ACCOUNTS_MAX = 8;
/** Words examined at the end of the transaction's data: arguments are there, whatever code precedes them. */
const ARGUMENT_WORDS_MAX = 64;
/** Words of logs that are examined. */
const LOG_WORDS_MAX = 256;
const WORD_DIGITS = 64;

const hexSchema = z.string().regex(/^0x[0-9a-fA-F]*$/);
const transactionSchema = z.object({ from: hexSchema, input: hexSchema });
const receiptSchema = z.object({
  logs: z.array(z.object({ topics: z.array(hexSchema), data: hexSchema })),
});

/** Words of 32 bytes, counted from the end. */
const lastWords = (data: string): Hex[] => {
  const digits = data.slice(2);
  const count = Math.min(ARGUMENT_WORDS_MAX, Math.floor(digits.length / WORD_DIGITS));
  return Array.from({ length: count }, (_, i): Hex => {
    const end = digits.length - i * WORD_DIGITS;
    return `0x${digits.slice(end - WORD_DIGITS, end)}`;
  });
};

/**
 * Accounts named in the transaction that created the token: its sender, constructor arguments, and addresses in its
 * logs. An account entered in a mapping at creation is often found nowhere else.
 * @param known accounts to leave out
 */
export const readBirthAccounts = async (
  node: ChainNode,
  { createdTx = ZERO_HASH }: Pick<ContractSubject, 'createdTx'>,
  known: ReadonlySet<Hex>,
): Promise<Hex[]> => {
  if (createdTx === ZERO_HASH) return [];
  const [transaction, receipt] = await node.batch([
    { method: 'eth_getTransactionByHash', params: [createdTx] },
    { method: 'eth_getTransactionReceipt', params: [createdTx] },
  ]);
  const { data: sent } = transactionSchema.safeParse(resultOf(transaction));
  const { data: mined } = receiptSchema.safeParse(resultOf(receipt));
  const logged = (mined?.logs ?? [])
    .flatMap(({ topics, data }) => [...topics.slice(1), ...lastWords(data)])
    .slice(0, LOG_WORDS_MAX);
  const named = sent ? [addressWord(sent.from), ...lastWords(sent.input)] : [];
  const words = [...named, ...logged];
  return storedAddresses(words.filter((word) => word.startsWith(`0x${'0'.repeat(24)}`)))
    .filter((one) => !known.has(one))
    .slice(0, ACCOUNTS_MAX);
};
