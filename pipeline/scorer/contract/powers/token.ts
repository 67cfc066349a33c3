import type { Expression } from './expressions.ts';
import type { Execution, Path } from './paths.ts';
import { partsOf, placeOf } from './places.ts';

/** One function of a contract with the ways through it. */
export interface ContractFunction {
  /** Eight hexadecimal digits; `fallback` for any other selector, `receive` for none. */
  readonly selector: string;
  readonly execution: Execution;
}

/** Where a contract keeps what belongs to whom. */
export interface TokenStorage {
  /** Variables that `balanceOf` answers from. Several where some accounts share in fees and others do not. */
  readonly balances: ReadonlySet<string>;
  /** Variables that `allowance` answers from. */
  readonly allowances: ReadonlySet<string>;
}

const BALANCE_OF = '70a08231';
const ALLOWANCE = 'dd62ed3e';
export const APPROVE = '095ea7b3';
export const TRANSFER = 'a9059cbb';
export const TRANSFER_FROM = '23b872dd';
export const TRANSFER_TOPIC = 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3efn;

export const MOVING_SELECTORS: ReadonlySet<string> = new Set([TRANSFER, TRANSFER_FROM]);

const readsOf = (root: Expression | undefined): Expression[] =>
  root ? partsOf(root).filter(({ operator }) => operator === 'sload') : [];

export const storageRead = (one: Expression) => placeOf(one.operands[0] ?? one);

/** Mappings under this many keys that the answer of a function depends on. */
const answeredFrom = (functions: readonly ContractFunction[], selector: string, keys: number) => {
  const paths = functions.find((one) => one.selector === selector)?.execution.paths ?? [];
  const reads = paths.flatMap(({ returned }) => readsOf(returned[0])).map(storageRead);
  return reads.filter((place) => place.keys.length === keys).map(({ name }) => name);
};

/** Mappings that change under an account which a Transfer event of the same path names. */
const movedWithEvents = (paths: readonly Path[]): string[] =>
  paths.flatMap(({ logs, writes }) => {
    const named = logs
      .filter(({ topics }) => topics[0]?.value === TRANSFER_TOPIC)
      .flatMap(({ topics }) => topics.slice(1));
    const places = writes.map(({ slot }) => placeOf(slot));
    return places
      .filter(({ keys }) => keys.length === 1 && keys[0] && named.includes(keys[0]))
      .map(({ name }) => name);
  });

/** Whether transfers write to one of some variables. */
const areMoved = (functions: readonly ContractFunction[], names: readonly string[]): boolean =>
  functions
    .filter(({ selector }) => MOVING_SELECTORS.has(selector))
    .flatMap(({ execution }) => execution.paths)
    .some(({ writes }) => writes.some(({ slot }) => names.includes(placeOf(slot).name)));

/**
 * Finds the balances of a token: by `balanceOf`; where there is none, or transfers write elsewhere than
 * it reads, by what changes together with Transfer events.
 */
export const tokenStorage = (functions: readonly ContractFunction[]): TokenStorage => {
  const answered = answeredFrom(functions, BALANCE_OF, 1);
  const paths = functions.flatMap(({ execution }) => execution.paths);
  const isEnough = answered.length > 0 && areMoved(functions, answered);
  return {
    balances: new Set(isEnough ? answered : [...answered, ...movedWithEvents(paths)]),
    allowances: new Set(answeredFrom(functions, ALLOWANCE, 2)),
  };
};
