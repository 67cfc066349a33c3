import type { Check, CheckSentences } from '../../../shared/messages/verdictDoc.ts';
import type { Sentence } from '../../../shared/sentences/sentence.ts';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import { quantity, selectorOf } from '../simulation/evmCode.ts';
import type { SimulationParams } from '../simulation/simulateParams.ts';

/** The result of a check, before it is worded in a language. */
export interface CheckResult
  extends Pick<Check, 'id' | 'status' | 'severity' | 'value' | 'shown_by' | 'held_by'> {
  readonly reason: Sentence;
  readonly evidence?: readonly Evidence[] | undefined;
}

/** The same for a check with a rule of its own, whose definition names it. */
export type CheckOutcome = Omit<CheckResult, 'id'>;

/** A check in the form of verdicts, in English. */
export const checkOf = ({ reason, evidence, ...check }: CheckResult): Check => ({
  ...check,
  reason: writeSentence(reason, 'en'),
  ...(evidence && {
    evidence: evidence.map(({ note, ...each }) => ({ ...each, note: writeSentence(note, 'en') })),
  }),
});

/** The sentences of checks by id, for other languages. */
export const sentencesOf = (results: readonly CheckResult[]): Record<string, CheckSentences> =>
  Object.fromEntries(
    results.map(({ id, reason, evidence = [] }) => [
      id,
      { reason, notes: evidence.map(({ note }) => note) },
    ]),
  );

/**
 * One piece of evidence: its kind, where to find it, and a JSON-RPC request with which anyone can verify it.
 */
export interface Evidence {
  readonly kind: StoredEvidence['kind'];
  readonly ref: string;
  readonly note: Sentence;
  readonly request?: Request | undefined;
}
type StoredEvidence = NonNullable<Check['evidence']>[number];
type Request = NonNullable<StoredEvidence['request']>;

/** Request for the code of a contract at a block. */
export const codeRequest = (address: string, blockNumber: number): Request => ({
  method: 'eth_getCode',
  params: [address, quantity(blockNumber)],
});

/** Request for the result of a function without arguments at a block; without a block, at the head. */
export const callRequest = (address: string, data: string, blockNumber?: number): Request => ({
  method: 'eth_call',
  params: [{ to: address, data }, blockNumber === undefined ? 'latest' : quantity(blockNumber)],
});

/** Request for a contract's logs of one event, by topics, up to a block; without a block, up to the head. */
export const logsRequest = (
  address: string,
  topics: readonly (string | null)[],
  upTo?: number,
): Request => ({
  method: 'eth_getLogs',
  params: [
    {
      address,
      topics: [...topics],
      fromBlock: '0x0',
      toBlock: upTo === undefined ? 'latest' : quantity(upTo),
    },
  ],
});

/** The code of a contract. */
export const codeEvidence = (address: string, blockNumber: number, note: Sentence): Evidence => ({
  kind: 'bytecode',
  ref: `eth_getCode(${address})@${blockNumber}`,
  note,
  request: codeRequest(address, blockNumber),
});

/** A word of a contract's storage. */
export const storageEvidence = (
  address: string,
  slot: string,
  blockNumber: number,
  note: Sentence,
): Evidence => ({
  kind: 'storage',
  ref: `eth_getStorageAt(${address}, ${slot})@${blockNumber}`,
  note,
  request: {
    method: 'eth_getStorageAt',
    params: [address, slot, quantity(blockNumber)],
  },
});

/** An address, with a note about it. */
export const addressEvidence = (ref: string, note: Sentence, request?: Request): Evidence => ({
  kind: 'address',
  ref,
  note,
  ...(request && { request }),
});

/** A contract's result of a function without arguments, at the head. */
export const answerEvidence = (address: string, signature: string, note: Sentence): Evidence => ({
  kind: 'call',
  ref: `${address}.${signature}`,
  note,
  request: callRequest(address, selectorOf(signature)),
});

/** A successful call, with the caller if it matters. */
export const calledEvidence = (
  call: { readonly from?: string; readonly to: string; readonly data: string },
  blockNumber: number,
  note: Sentence,
): Evidence => ({
  kind: 'call',
  ref: `eth_call(${call.to})@${blockNumber}`,
  note,
  request: { method: 'eth_call', params: [call, quantity(blockNumber)] },
});

/** A transaction, with a note about its outcome. */
export const txEvidence = (txHash: string, note: Sentence): Evidence => ({
  kind: 'tx',
  ref: txHash,
  note,
  request: { method: 'eth_getTransactionReceipt', params: [txHash] },
});

/** A share as checks show it: four decimals. */
export const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

/** Evidence from a simulation; without parameters if nobody needs to repeat it. */
export const simulationEvidence = (
  blockNumber: number,
  note: Sentence,
  params?: SimulationParams,
): Evidence => ({
  kind: 'call',
  ref: `eth_simulateV1@${blockNumber}`,
  note,
  ...(params && { request: { method: 'eth_simulateV1', params: [...params] } }),
});
