import type { Expression } from './expressions.ts';

/** History of a path: conditions and their outcomes. Newest first. */
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
  /** First words of the call's data: the selector with what follows it, then the arguments. */
  readonly sent: readonly (Expression | undefined)[];
}

export interface StorageWrite {
  readonly slot: Expression;
  readonly value: Expression;
}

export interface Log {
  readonly topics: readonly Expression[];
}

/** Decisions of a path, as far as it was explored. */
export interface Way {
  readonly decisions: Decision | undefined;
}

/** One path through a function that ends without reverting. */
export interface Path extends Way {
  /** Latest write to each storage location. */
  readonly writes: readonly StorageWrite[];
  readonly calls: readonly ForeignCall[];
  readonly logs: readonly Log[];
  /** First words of the returned data. */
  readonly returned: readonly (Expression | undefined)[];
  /** Whether the contract destroys itself. */
  readonly destroys: boolean;
}

/** One outcome of a condition. */
export interface Side {
  readonly test: Expression;
  readonly is: boolean;
  /** Paths that took it. */
  entered: number;
}

/** Result of executing one function. */
export interface Execution {
  readonly paths: readonly Path[];
  /** Paths not explored to their end: cut by a limit, or at a jump that could not be followed. */
  readonly dropped: readonly Way[];
  readonly sides: readonly Side[];
  /** Executed instructions, including the cost of copying paths. */
  readonly steps: number;
}

/** One number for a condition and its outcome. */
export const sideOf = ({ test, is }: Pick<Decision, 'test' | 'is'>): number =>
  2 * test.id + Number(is);

/** The history of a path, newest first. */
export const decisionsOf = ({ decisions }: Way): Decision[] => {
  const list: Decision[] = [];
  for (let one = decisions; one; one = one.earlier) list.push(one);
  return list;
};

/**
 * The call that a result came from: the name of a result ends with the number of the call on its path, and of the
 * word.
 */
export const callAnsweredBy = (
  { calls }: Path,
  { operator }: Expression,
): ForeignCall | undefined => calls[Number(operator.split('.').at(-2))];
