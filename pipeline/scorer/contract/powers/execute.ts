import { asCondition, type Expression, type Expressions } from './expressions.ts';
import { runInstruction } from './instructions.ts';
import {
  forkState,
  type Machine,
  type Program,
  pop,
  type State,
  startState,
  wordsAt,
} from './machine.ts';
import {
  type Decision,
  decisionsOf,
  type Execution,
  type Path,
  type Side,
  sideOf,
  type Way,
} from './paths.ts';

/** How often both sides of an unknown condition are followed at one position of one path. */
const LOOP_MAX = 3;
/** Beyond that, the side not taken last, which leaves loops; and after this number, none. */
const MET_MAX = 64;
/** How often each side of a condition is entered: further paths would differ only in their past. */
const SIDE_VISITS_MAX = 8;
/** Share of the instructions after which undecided conditions come first. */
const FOCUS_SHARE = 0.25;
const PATHS_MAX = 512;
const RETURNED_WORDS_MAX = 4;
const STACK_MAX = 1_024;
/** Jump destinations below this are too often equal to unrelated numbers. */
const RETURN_PLACE_MIN = 256n;

const STOP = 0x00;
const JUMP = 0x56;
const JUMPI = 0x57;
const RETURN = 0xf3;
const SELFDESTRUCT = 0xff;

/** Memory entries of a path that are copied in about the time of one instruction. */
const COPIED_PER_STEP = 4;

/** State of one run, and the paths waiting for their turn. */
interface Search {
  readonly machine: Machine;
  readonly paths: Path[];
  readonly dropped: Way[];
  readonly sides: Map<number, Side>;
  /** Sides taken by a completed path. */
  readonly proven: Set<number>;
  /** Whether a path was completed that does not require a single account. */
  isForAll: boolean;
  /** By how often their last side had been entered before. */
  readonly waiting: State[][];
  /**
   * Paths that are only worth a turn while one of their conditions is undecided: all that follow too many on the same
   * side.
   */
  readonly spared: State[];
  /** Whether it is their turn, after paths to sides that none has entered. */
  isFocused: boolean;
  /** Executed instructions, including the equivalent cost of copying paths. */
  steps: number;
}

const sideFor = ({ sides }: Search, { test, is }: Decision): Side => {
  const key = sideOf({ test, is });
  const side = sides.get(key) ?? { test, is, entered: 0 };
  sides.set(key, side);
  return side;
};

const drop = ({ dropped }: Search, decisions: Decision | undefined): void => {
  dropped.push({ decisions });
};

/** Whether a participant of a call is required to be one account. */
const isSomebody = ({ test, is }: Decision): boolean =>
  is &&
  test.operator === 'eq' &&
  test.operands.some(({ operator }) => operator === 'caller' || operator === 'calldata');

/**
 * Whether a path took a side that no completed path has, while some have the other side; or is open to everybody,
 * while only paths for single accounts were completed.
 */
const isOpen = ({ proven, paths, isForAll }: Search, { decisions }: Way): boolean => {
  let isPlain = !isForAll && paths.length > 0;
  for (let one = decisions; one; one = one.earlier) {
    const side = sideOf(one);
    if (!proven.has(side) && proven.has(side + (one.is ? -1 : 1))) return true;
    isPlain &&= !isSomebody(one);
  }
  return isPlain;
};

/** The call context of a branch: the stack positions to which its function will return. */
const branchOf = ({ program }: Machine, state: State): string => {
  let branch = `${state.at}`;
  for (const { value } of state.stack) {
    const isPlace = value !== undefined && value >= RETURN_PLACE_MIN;
    if (isPlace && program.destinations.has(Number(value))) branch += `,${value}`;
  }
  return branch;
};

/** The outcome of a condition that follows from the path's earlier decisions. */
const decidedAs = (state: State, test: Expression): boolean | undefined => {
  if (test.value !== undefined) return test.value !== 0n;
  const decided = state.decided.get(test.id);
  if (decided !== undefined) return decided;
  const [a, b] = test.operands;
  if (test.operator !== 'eq' || !a || !b) return undefined;
  const left = state.equal.get(a.id);
  const right = b.value === undefined ? state.equal.get(b.id) : b;
  return left && right ? left === right : undefined;
};

const decide = (search: Search, state: State, test: Expression, is: boolean): void => {
  state.decided.set(test.id, is);
  state.decisions = { test, is, earlier: state.decisions };
  const [a, b] = test.operands;
  if (is && test.operator === 'eq' && a && b?.value !== undefined) state.equal.set(a.id, b);
  if (!is) state.equal.set(test.id, search.machine.zero);
  const side = sideFor(search, state.decisions);
  const isNext = search.isFocused && isOpen(search, state);
  const turn = isNext ? search.spared : (search.waiting[side.entered] ?? search.spared);
  side.entered += 1;
  turn.push(state);
};

const follow = (
  search: Search,
  state: State,
  test: Expression,
  ways: readonly { is: boolean; at: number | undefined }[],
): void => {
  const place = branchOf(search.machine, state);
  const last = state.met.get(place);
  const times = (last?.times ?? 0) + 1;
  for (const { is, at } of ways) {
    if ((times > LOOP_MAX && last?.is === is) || times > MET_MAX) {
      drop(search, { test, is, earlier: state.decisions });
    } else if (at !== undefined) {
      const forked = forkState(state);
      search.steps += Math.ceil((state.memory.size + state.decided.size) / COPIED_PER_STEP);
      forked.at = at;
      forked.met.set(place, { times, is });
      decide(search, forked, test, is);
    }
  }
};

/** @returns whether this state continues; otherwise its sides wait for their turn */
const branch = (search: Search, state: State): boolean => {
  const { machine } = search;
  const { program, expressions } = machine;
  const [to, condition] = [pop(machine, state), pop(machine, state)];
  const [test, is] = asCondition(condition, expressions);
  const isTarget = to.value !== undefined && program.destinations.has(Number(to.value));
  const target = isTarget ? Number(to.value) : undefined;
  const known = decidedAs(state, test);
  if (known === undefined) {
    const ways = [
      { is, at: target },
      { is: !is, at: state.at + 1 },
    ];
    follow(search, state, test, ways);
    return false;
  }
  if (known !== is) state.at += 1;
  else if (target === undefined) return false;
  else state.at = target;
  return true;
};

const jump = (search: Search, state: State): boolean => {
  const to = pop(search.machine, state).value;
  if (to === undefined) drop(search, state.decisions);
  if (to === undefined || !search.machine.program.destinations.has(Number(to))) return false;
  state.at = Number(to);
  return true;
};

const succeed = (search: Search, state: State, opcode: number): void => {
  const { machine } = search;
  const isAnswer = opcode === RETURN;
  const { decisions, storage, calls, logs } = state;
  const taken = decisionsOf(state);
  for (const one of taken) search.proven.add(sideOf(one));
  search.isForAll ||= !taken.some(isSomebody);
  search.paths.push({
    decisions,
    writes: [...storage.values()],
    calls,
    logs,
    returned: isAnswer
      ? wordsAt(machine, state, [pop(machine, state), pop(machine, state)], RETURNED_WORDS_MAX)
      : [],
    destroys: opcode === SELFDESTRUCT,
  });
};

/** Executes one instruction. @returns whether this state continues */
const step = (search: Search, state: State): boolean => {
  const opcode = search.machine.program.bytes[state.at] ?? STOP;
  if (opcode === JUMPI) return branch(search, state);
  if (opcode === JUMP) return jump(search, state);
  if (opcode === STOP || opcode === RETURN || opcode === SELFDESTRUCT) {
    succeed(search, state, opcode);
    return false;
  }
  return runInstruction(search.machine, state, opcode) && state.stack.length <= STACK_MAX;
};

/** Puts paths that can resolve undecided conditions before those that repeat others. */
const focus = (search: Search): void => {
  search.isFocused = true;
  const [, ...again] = search.waiting;
  for (const states of again) {
    for (const state of states.splice(0)) {
      (isOpen(search, state) ? search.spared : states).push(state);
    }
  }
};

/** The path whose turn it is. */
const next = (search: Search, stepsMax: number): State | undefined => {
  const { waiting, spared } = search;
  const isLate =
    search.steps > FOCUS_SHARE * stepsMax || waiting.every(({ length }) => length === 0);
  if (isLate && !search.isFocused) focus(search);
  if (search.isFocused && waiting[0]?.length === 0) {
    for (let state = spared.pop(); state; state = spared.pop()) {
      if (isOpen(search, state)) return state;
      drop(search, state.decisions);
    }
  }
  return waiting.find((states) => states.length > 0)?.pop();
};

export interface ExecuteOptions {
  readonly program: Program;
  readonly expressions: Expressions;
  /** First four bytes of the calldata; if absent, the calldata is empty. */
  readonly selector: bigint | undefined;
  /** Limit of instructions over all paths, including the cost of copying paths. */
  readonly stepsMax: number;
}

/**
 * Symbolically executes one function of a contract with unknown arguments, caller and storage, along every path that
 * its conditions allow; paths with the least-visited conditions come first. Deterministic: limits are counted in
 * instructions. Assumptions: sums and products do not overflow, arguments have the width of their types, storage
 * under different keys differs, other contracts do not call back.
 */
export const execute = ({ stepsMax, ...options }: ExecuteOptions): Execution => {
  const search: Search = {
    machine: { ...options, zero: options.expressions.constant(0n) },
    paths: [],
    dropped: [],
    sides: new Map(),
    proven: new Set(),
    isForAll: false,
    waiting: Array.from({ length: SIDE_VISITS_MAX }, () => []),
    spared: [],
    isFocused: false,
    steps: 0,
  };
  search.waiting[0]?.push(startState());
  for (;;) {
    const state = next(search, stepsMax);
    if (!state) break;
    let goesOn = true;
    while (goesOn && search.steps < stepsMax && search.paths.length < PATHS_MAX) {
      search.steps += 1;
      goesOn = step(search, state);
    }
    if (goesOn) drop(search, state.decisions);
  }
  const { paths, dropped, sides, steps } = search;
  return { paths, dropped, sides: [...sides.values()], steps };
};
