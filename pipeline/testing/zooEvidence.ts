import assert from 'node:assert/strict';
import { toFunctionSelector } from 'viem';
import type { Check } from '../../shared/messages/verdictDoc.ts';
import { codeSketch, disassemble } from '../scorer/contract/codePatterns.ts';
import type { SimulatedBlocks } from '../scorer/simulation/callSequence.ts';
import { decodeWords } from '../scorer/simulation/evmCode.ts';
import { decodeText } from '../scorer/token/decodeAnswer.ts';

type Evidence = NonNullable<Check['evidence']>[number];
/** Sends a request to a node and answers its result. */
type Send = (request: NonNullable<Evidence['request']>) => Promise<unknown>;

interface Simulated {
  readonly inputs: readonly { readonly from: string; readonly input: string }[];
  readonly answers: SimulatedBlocks[number]['calls'];
  /** Calls of the first block. */
  readonly purchases: number;
}

const simulated = (params: readonly unknown[], result: unknown): Simulated => {
  const [{ blockStateCalls }] = params as unknown as readonly [
    { blockStateCalls: readonly { calls: Simulated['inputs'] }[] },
  ];
  const inputs = blockStateCalls.flatMap(({ calls }) => calls);
  const answers = (result as SimulatedBlocks).flatMap(({ calls }) => calls);
  assert.equal(answers.length, inputs.length);
  return { inputs, answers, purchases: blockStateCalls[0]?.calls.length ?? 0 };
};

const TRANSFER = '0xa9059cbb';
const wordsOf = (answer: Simulated['answers'][number] | undefined, count: number): bigint[] =>
  decodeWords(answer?.status === '0x1' ? answer.returnData : '0x', count) ??
  Array.from({ length: count }, () => 0n);

const share = (part: bigint, whole: bigint): number =>
  whole > 0n ? Number((part * 10_000n) / whole) / 10_000 : 0;

/** Share of a sale that is lost on its way into the pool; 1 where it reverts. */
const saleLoss = ({ inputs, answers, purchases }: Simulated): number => {
  const later = inputs.slice(purchases);
  // A sale ends with the transfer or the approval, then the swap, then perhaps a balance.
  const at = purchases + later.findLastIndex(({ input }) => /^0x(?:a9059cbb|095ea7b3)/.test(input));
  if (at < purchases) return 0;
  if (answers[at]?.status !== '0x1' || answers[at + 1]?.status !== '0x1') return 1;
  const sold = BigInt(`0x${inputs[at]?.input.slice(-64)}`);
  const [received = 0n, earned = 0n] = wordsOf(answers[at + 1], 2);
  return earned === 0n ? 1 : 1 - share(received, sold);
};

/** Share of a purchase that does not arrive. */
const purchaseLoss = ({ answers, purchases }: Simulated): number => {
  const [, bought = 0n] = wordsOf(answers[0], 2);
  const [arrived = 0n] = wordsOf(answers[purchases], 1);
  return 1 - share(arrived, bought);
};

/** Whether a call of someone else than the buyer changed balances or the buyer's sale. */
const harmsBuyer = (found: Simulated): boolean => {
  const { inputs, answers, purchases } = found;
  const trader = inputs[0]?.from;
  const act = inputs.findIndex(({ from }) => from !== trader);
  if (answers[act]?.status !== '0x1') return false;
  const watched = act - purchases;
  const amounts = (from: number) =>
    answers.slice(from, from + watched).map((one) => wordsOf(one, 1)[0]);
  const [before, after] = [amounts(purchases), amounts(act + 1)];
  return before.some((amount, i) => amount !== after[i]) || saleLoss(found) >= 0.5;
};

const PROVES: Readonly<Record<string, (found: Simulated) => boolean>> = {
  sell_simulation: (found) => saleLoss(found) >= 0.5 || purchaseLoss(found) >= 0.5,
  trade_tax: (found) => Math.max(saleLoss(found), purchaseLoss(found)) >= 0.1,
  tokens_delivered: (found) => purchaseLoss(found) > 0.5,
  trading_closed: ({ answers }) => answers[0]?.status !== '0x1',
  sell_later: (found) => saleLoss(found) === 1,
  transfer_tax: ({ inputs, answers }) => {
    const at = inputs.findIndex(({ input }) => input.startsWith(TRANSFER));
    const [arrived = 0n] = wordsOf(answers[at + 1], 1);
    return share(arrived, BigInt(`0x${inputs[at]?.input.slice(-64)}`)) <= 0.9;
  },
  trade_limits: ({ answers }) => answers.some(({ status }) => status !== '0x1'),
};

const SELFDESTRUCT_OR_DELEGATECALL = /^(?:ff|f4|f2)$/;

const provesByCode = (note: string, code: string): boolean => {
  const offset = /at byte (\d+)/.exec(note)?.[1];
  if (offset !== undefined) {
    const at = 2 + 2 * Number(offset);
    return SELFDESTRUCT_OR_DELEGATECALL.test(code.slice(at, at + 2));
  }
  const names = note.match(/\w+\([\w,[\]]*\)/g) ?? [];
  const isMissing = note.startsWith('no selector of');
  return names.every((name) => code.includes(toFunctionSelector(name).slice(2)) !== isMissing);
};

const skeletonOf = (code: unknown): string =>
  codeSketch(disassemble(code as `0x${string}`)).skeleton;

/** Whether the answer to one request shows what its note and its check say. */
const provesOne = (
  check: Check,
  { note = '' }: Evidence,
  { method, params }: NonNullable<Evidence['request']>,
  result: unknown,
): boolean => {
  switch (method) {
    case 'eth_simulateV1':
      return (PROVES[check.id] ?? harmsBuyer)(simulated(params, result));
    case 'eth_getCode':
      return String(result).length > 2 && provesByCode(note, String(result));
    case 'eth_call': {
      const [, said = ''] = note.split(' answers ');
      return note.includes('answers 0x')
        ? String(result).endsWith(said.slice(2))
        : said === '' || decodeText(String(result)) === said;
    }
    case 'eth_getStorageAt':
      if (note.includes('is the entry of')) return BigInt(String(result)) !== 0n;
      return note.startsWith('beacon') || String(result).endsWith(note.slice(-40));
    case 'eth_getTransactionReceipt':
      return (result as { status?: string } | null)?.status === '0x1';
    default:
      return Array.isArray(result) && result.length > 0;
  }
};

/**
 * Sends every request in the evidence of a failed check, and fails where one does not show what is claimed. A
 * copy of a scam must have the same instructions as the scam it names.
 */
export const replayEvidence = async (check: Check, send: Send): Promise<void> => {
  const results = [];
  for (const evidence of check.evidence ?? []) {
    if (!evidence.request) continue;
    const result = await send(evidence.request);
    assert(provesOne(check, evidence, evidence.request, result), `${check.id}: ${evidence.note}`);
    results.push(result);
  }
  assert(results.length > 0, `${check.id}: nothing to replay`);
  if (check.id === 'known_scam_code' && check.severity !== 'info') {
    assert.equal(new Set(results.map(skeletonOf)).size, 1, 'the same instructions');
  }
};
