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
import { type Decision, type Execution, type Path, type Side, sideOf } from './paths.ts';

/** Both sides of an unknown condition are followed this often at one place of one path. */
const LOOP_MAX = 3;
/** From then on the side not taken last, which leaves loops; and after this many times none. */
const MET_MAX = 64;
/** Each side of a condition is entered this often: later paths would differ only in what was before. */
const SIDE_VISITS_MAX = 8;
const PATHS_MAX = 512;
const RETURNED_WORDS_MAX = 4;
const STACK_MAX = 1_024;
/** Jump destinations below this are too often equal to numbers of other meaning. */
const RETURN_PLACE_MIN = 256n;

const STOP = 0x00;
const JUMP = 0x56;
const JUMPI = 0x57;
const RETURN = 0xf3;
const SELFDESTRUCT = 0xff;

/** Entries of a path's memory that are copied in about the time of one instruction. */
const COPIED_PER_STEP = 4;

/** Everything that is known of one run, and the paths that still wait for their turn. */
interface Search {
  readonly machine: Machine;
  readonly paths: Path[];
  readonly sides: Map<number, Side>;
  /** By how often the side that they took last had been entered. */
  readonly waiting: State[][];
  isPartial: boolean;
  /** Instructions run, and as many as copying paths takes the time of. */
  steps: number;
}

const sideFor = ({ sides }: Search, { test, is }: Decision): Side => {
  const key = sideOf({ test, is });
  const side = sides.get(key) ?? { test, is, entered: 0, dropped: 0 };
  sides.set(key, side);
  return side;
};

const drop = (search: Search, decisions: Decision | undefined): void => {
  search.isPartial = true;
  for (let one = decisions; one; one = one.earlier) sideFor(search, one).dropped += 1;
};

/** Where a branch was called from: the places on the stack to which its function will return. */
const branchOf = ({ program }: Machine, state: State): string => {
  let branch = `${state.at}`;
  for (const { value } of state.stack) {
    const isPlace = value !== undefined && value >= RETURN_PLACE_MIN;
    if (isPlace && program.destinations.has(Number(value))) branch += `,${value}`;
  }
  return branch;
};

/** How a condition must go by what the path has decided before. */
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
  side.entered += 1;
  if (side.entered > SIDE_VISITS_MAX) drop(search, state.decisions);
  else search.waiting[side.entered]?.push(state);
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

/** @returns whether this state goes on; otherwise its sides wait for their turn */
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

/** One instruction. @returns whether this state goes on */
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

export interface ExecuteOptions {
  readonly program: Program;
  readonly expressions: Expressions;
  /** First four bytes of the call's data; without them it is empty. */
  readonly selector: bigint | undefined;
  /** Instructions over all paths, with what copying paths costs. */
  readonly stepsMax: number;
}

/**
 * Runs one function of a contract with unknown arguments, caller and storage along every path that its
 * conditions allow, those first whose conditions were met least. Deterministic: limits are counted in
 * instructions. Taken for granted: sums and products do not overflow, arguments have the width of their
 * types, places of storage under different keys differ, other contracts do not call back.
 */
export const execute = ({ stepsMax, ...options }: ExecuteOptions): Execution => {
  const search: Search = {
    machine: { ...options, zero: options.expressions.constant(0n) },
    paths: [],
    sides: new Map(),
    waiting: Array.from({ length: SIDE_VISITS_MAX + 1 }, () => []),
    isPartial: false,
    steps: 0,
  };
  search.waiting[0]?.push(startState());
  for (;;) {
    const state = search.waiting.find((states) => states.length > 0)?.pop();
    if (!state) break;
    let goesOn = true;
    while (goesOn && search.steps < stepsMax && search.paths.length < PATHS_MAX) {
      search.steps += 1;
      goesOn = step(search, state);
    }
    if (goesOn) drop(search, state.decisions);
  }
  const { paths, sides, steps, isPartial } = search;
  return { paths, sides: [...sides.values()], steps, isPartial };
};
