import type { Expression } from './expressions.ts';

/** What a path went through: a condition, and how it was decided. Newest first. */
export interface Decision {
  readonly test: Expression;
  readonly is: boolean;
  readonly earlier: Decision | undefined;
}

/** A call to another contract. */
export interface ForeignCall {
  readonly kind: 'call' | 'delegatecall' | 'staticcall';
  readonly to: Expression;
  /** Coins sent with it, in wei; undefined for calls that cannot send any. */
  readonly value: Expression | undefined;
  /** First words of what is sent: the selector with what follows it, then the arguments. */
  readonly sent: readonly (Expression | undefined)[];
}

export interface StorageWrite {
  readonly slot: Expression;
  readonly value: Expression;
}

export interface Log {
  readonly topics: readonly Expression[];
}

/** What a path has decided as far as it was followed. */
export interface Way {
  readonly decisions: Decision | undefined;
}

/** One way through a function that ends without reverting. */
export interface Path extends Way {
  /** Latest write to each place of storage. */
  readonly writes: readonly StorageWrite[];
  readonly calls: readonly ForeignCall[];
  readonly logs: readonly Log[];
  /** First words of the answer. */
  readonly returned: readonly (Expression | undefined)[];
  /** Whether the contract destroys itself. */
  readonly destroys: boolean;
}

/** One way of deciding a condition. */
export interface Side {
  readonly test: Expression;
  readonly is: boolean;
  /** Paths that took it. */
  entered: number;
}

/** The result of running one function. */
export interface Execution {
  readonly paths: readonly Path[];
  /** What was not followed to its end: left out by a limit, or at a jump that could not be followed. */
  readonly dropped: readonly Way[];
  readonly sides: readonly Side[];
  /** Instructions run, with what copying paths costs. */
  readonly steps: number;
}

/** One number for a condition and the way it is decided. */
export const sideOf = ({ test, is }: Pick<Decision, 'test' | 'is'>): number =>
  2 * test.id + Number(is);

/** What a path went through, newest first. */
export const decisionsOf = ({ decisions }: Way): Decision[] => {
  const list: Decision[] = [];
  for (let one = decisions; one; one = one.earlier) list.push(one);
  return list;
};

/** The call that an answer came from: the name of an answer ends with the number of the call on its path, and of the word. */
export const callAnsweredBy = (
  { calls }: Path,
  { operator }: Expression,
): ForeignCall | undefined => calls[Number(operator.split('.').at(-2))];
