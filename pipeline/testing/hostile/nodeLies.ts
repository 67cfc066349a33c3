import type { SyntheticChain } from './syntheticChain.ts';

/** One call of a request, and the node's true answer. */
interface TrueAnswer {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly result: unknown;
}

/** What is sent instead of the truth: a text, or a way to break off. */
export type Lie =
  | { readonly kind: 'text'; readonly status: number; readonly text: string }
  | { readonly kind: 'break' | 'hang' | 'drip' | 'endless' };

/** Turns true answers into a lie; undefined if they cannot be falsified in this way. */
type Liar = (answers: readonly TrueAnswer[], chain: SyntheticChain) => Lie | undefined;

type Fields = Record<string, unknown>;

const UNKNOWN_HASH = `0x${'ee'.repeat(32)}`;
const HUGE = `0x${'f'.repeat(64)}`;
/** Exact as a number, and far above every block. */
const FAR_ABOVE = `0x${Number.MAX_SAFE_INTEGER.toString(16)}`;

const say = (text: string, status = 200): Lie => ({ kind: 'text', status, text });
const bodyOf = (answers: readonly TrueAnswer[]): Fields[] =>
  answers.map(({ id, result }) => ({ jsonrpc: '2.0', id, result: result ?? null }));
/** As nodes do: one call is answered with an object, a batch with a list. */
const send = (bodies: readonly unknown[]): Lie =>
  say(JSON.stringify(bodies.length === 1 ? bodies[0] : bodies));

/** Changes the first answer to a method; a change may return undefined if it does not apply. */
const falsify =
  (
    isMeant: (answer: TrueAnswer) => boolean,
    change: (result: never, chain: SyntheticChain) => unknown,
  ): Liar =>
  (answers, chain) => {
    const at = answers.findIndex((one) => isMeant(one) && one.result !== null);
    const found = answers[at];
    if (!found) return undefined;
    const result = change(found.result as never, chain);
    return result === undefined ? undefined : send(bodyOf(answers.with(at, { ...found, result })));
  };

const isBlock = ({ method, params }: TrueAnswer): boolean =>
  method === 'eth_getBlockByNumber' && params[1] === true;
const isHead = ({ method, params }: TrueAnswer): boolean =>
  method === 'eth_getBlockByNumber' && params[0] === 'latest';
const isFinal = ({ method, params }: TrueAnswer): boolean =>
  method === 'eth_getBlockByNumber' && params[0] === 'finalized';
const isReceipts = ({ method }: TrueAnswer): boolean => method === 'eth_getBlockReceipts';
const isChainAnswer = (one: TrueAnswer): boolean => isBlock(one) || isReceipts(one);

const block = (change: (block: Fields, chain: SyntheticChain) => Fields | null | unknown[]): Liar =>
  falsify(isBlock, change);
const receipts = (change: (receipts: Fields[], chain: SyntheticChain) => unknown): Liar =>
  falsify(isReceipts, change);
/** Changes all logs of a block's receipts. */
const logs = (change: (logs: Fields[]) => Fields[] | undefined): Liar =>
  receipts((all) => {
    const [first, ...rest] = all as { logs: Fields[] }[];
    const changed = first && first.logs.length > 0 ? change(first.logs) : undefined;
    return changed && [{ ...first, logs: changed }, ...rest];
  });
const everyLog = (fields: Fields): Liar => logs((all) => all.map((log) => ({ ...log, ...fields })));
/** Changes one of several calls' answers. */
const ofBatch =
  (change: (bodies: Fields[]) => unknown[]): Liar =>
  (answers) =>
    answers.length > 1 ? say(JSON.stringify(change(bodyOf(answers)))) : undefined;
const always =
  (lie: Lie): Liar =>
  () =>
    lie;
const numberIn = (block: Fields): number => Number(block['number']);

/** Lies that a careful reader detects, by name. */
const LIES: ReadonlyMap<string, Liar> = new Map<string, Liar>([
  ['HTML instead of JSON', always(say('<html><body>Bad gateway</body></html>'))],
  ['unknown hash of a block', block((one) => ({ ...one, hash: UNKNOWN_HASH }))],
  ['a log left out', logs((all) => all.slice(1))],
  ['no answer at all', always(say(''))],
  ['logs of another block', everyLog({ blockHash: UNKNOWN_HASH })],
  ['HTTP 500', always(say('{}', 500))],
  ['a number too large', block((one) => ({ ...one, number: HUGE }))],
  ['no block where there is one', block(() => null)],
  ['an id twice', ofBatch((all) => [...all.slice(0, -1), all[0]])],
  ['unknown parent', block((one) => ({ ...one, parentHash: UNKNOWN_HASH }))],
  ['half an answer', always({ kind: 'break' })],
  ['receipts left out', receipts(() => [])],
  [
    'wrong ids',
    (answers) => send(bodyOf(answers).map((one) => ({ ...one, id: `${String(one['id'])}0` }))),
  ],
  ['another block than asked', block((one, chain) => chain.block(numberIn(one) - 1, true))],
  [
    'receipts of another block',
    receipts((all) => all.map((one) => ({ ...one, blockHash: UNKNOWN_HASH }))),
  ],
  ['an answer left out', ofBatch((all) => all.slice(1))],
  ['logs out of order', logs((all) => (all.length > 1 ? all.toReversed() : undefined))],
  ['HTTP 429', always(say('slow down', 429))],
  ['removed logs', everyLog({ removed: true })],
  ['a receipt twice', receipts((all) => [...all, ...all])],
  [
    'an error without a reason',
    (answers) =>
      answers.some(isChainAnswer)
        ? send(answers.map(({ id }) => ({ jsonrpc: '2.0', id, error: {} })))
        : undefined,
  ],
  ['a head beyond all numbers', falsify(isHead, (one: Fields) => ({ ...one, number: FAR_ABOVE }))],
  [
    'receipts of other transactions',
    receipts((all) => all.map((one) => ({ ...one, transactionHash: UNKNOWN_HASH }))),
  ],
  ['null instead of all', always(say('null'))],
  ['a time that is none', block((one) => ({ ...one, timestamp: 'now' }))],
  ['a log twice', logs((all) => [...all, ...all])],
  [
    'the grandparent as parent',
    block((one, chain) => ({ ...one, parentHash: chain.header(numberIn(one) - 2)?.['hash'] })),
  ],
  ['transactions left out', block((one) => ({ ...one, transactions: [] }))],
  ['a broken number', always(say('[{"jsonrpc":"2.0","id":1e999,"result":-}'))],
  ['logs that are no logs', everyLog({ topics: 'none' })],
  [
    'a final block above the head',
    falsify(isFinal, (one: Fields) => ({ ...one, number: FAR_ABOVE })),
  ],
  ['receipts that are no list', receipts(() => ({}))],
  ['positions beyond all numbers', everyLog({ logIndex: HUGE })],
  ['numbers of another block', everyLog({ blockNumber: '0x1' })],
  ['a list of nothing', ofBatch((all) => all.map(() => null))],
  ['logs of other transactions', everyLog({ transactionHash: UNKNOWN_HASH })],
  ['a block that is a list', block(() => [])],
  ['transactions the block lacks', everyLog({ transactionIndex: '0xff' })],
  ['addresses that are none', everyLog({ address: '0x12' })],
]);

/**
 * Lies that last until a limit of the reader ends them, by the number served before: few, because each takes time.
 */
const SLOW_LIES: ReadonlyMap<number, readonly [string, Lie]> = new Map([
  [20, ['an answer without end', { kind: 'endless' }]],
  [45, ['silence', { kind: 'hang' }]],
  [140, ['a byte now and then', { kind: 'drip' }]],
  [400, ['an answer without end', { kind: 'endless' }]],
  [600, ['silence', { kind: 'hang' }]],
  [800, ['a byte now and then', { kind: 'drip' }]],
]);

/**
 * Serves `count` lies, and more until each was served at least once, preferring the applicable one served least
 * recently.
 */
export const createLieTeller = (chain: SyntheticChain, count: number) => {
  const served = new Map<string, number>();
  let total = 0;
  let queue = [...LIES];
  const note = (name: string, lie: Lie): Lie => {
    served.set(name, (served.get(name) ?? 0) + 1);
    total += 1;
    return lie;
  };
  const isDone = (): boolean => total >= count && queue.every(([name]) => served.has(name));
  return {
    served,
    /** Whether the requested number was served, and each at least once. */
    isDone,
    /** The next lie that applies to these answers. */
    next: (answers: readonly TrueAnswer[]): Lie | undefined => {
      if (isDone()) return undefined;
      const slow = SLOW_LIES.get(total);
      if (slow) return note(...slow);
      for (const entry of queue) {
        const lie = entry[1](answers, chain);
        if (!lie) continue;
        queue = [...queue.filter((one) => one !== entry), entry];
        return note(entry[0], lie);
      }
      return undefined;
    },
  };
};
