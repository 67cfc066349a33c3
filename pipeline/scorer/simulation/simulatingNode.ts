import { randomBytes } from 'node:crypto';
import type { Hex } from '../../../shared/chain/block.ts';
import type { Clock as WallClock } from '../../../shared/platform/clock.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { RpcError } from '../../../shared/platform/rpc/rpcError.ts';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import { readContract } from '../contract/contractState.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import {
  type Clock,
  type ClockedContract,
  type ClockKind,
  clockedContract,
  clockOf,
  readSequence,
  type SimulatedBlocks,
  type Simulation,
  sequenceParams,
  simulationSchema,
} from './callSequence.ts';
import { BLOCK_SECONDS, type SimulationParams } from './simulateParams.ts';

const METHOD = 'eth_simulateV1';
/** Milliseconds for which a node is assumed to lack `eth_simulateV1`. Nodes get upgraded. */
const UNSUPPORTED_MS = 600_000;

/** A node that is asked in small batches. */
export type Ask = (calls: readonly RpcCall[]) => Promise<RpcOutcome[]>;

const CALLS_PER_BATCH = 16;

export const inBatches =
  (node: ChainNode): Ask =>
  async (calls) => {
    const outcomes: RpcOutcome[] = [];
    for (const batch of slicesOf(calls, CALLS_PER_BATCH)) {
      outcomes.push(...(await node.batch(batch)));
    }
    return outcomes;
  };

export const simulate = (ask: Ask, all: readonly SimulationParams[]): Promise<RpcOutcome[]> =>
  ask(all.map((params) => ({ method: METHOD, params })));

/** Gas limit of one simulated call. */
const TRY_GAS = '0x2dc6c0';

/** Makes independent calls of a contract at the head. @param patched code that replaces a contract's own */
export const tryNow = (
  ask: Ask,
  to: Hex,
  calls: readonly { readonly from: Hex; readonly data: Hex }[],
  patched?: { readonly address: Hex; readonly code: Hex },
): Promise<RpcOutcome[]> =>
  ask(
    calls.map(({ from, data }) => ({
      method: 'eth_call',
      params: [
        { from, to, data, gas: TRY_GAS },
        'latest',
        ...(patched ? [{ [patched.address]: { code: patched.code } }] : []),
      ],
    })),
  );

/** Whether a result was too large to be read: hostile contracts choose their results. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof RpcError && error.failure === 'rangeTooLarge';

/** An unused address: no contract can know it. */
export const randomAddress = (): Hex => `0x${randomBytes(20).toString('hex')}`;

const METHOD_NOT_FOUND_CODES: ReadonlySet<number> = new Set([-32601, -32004]);
const METHOD_NOT_FOUND =
  /method.{0,60}(?:not found|not exist|not supported|not available|unsupported|not whitelisted|disabled)|(?:unsupported|unknown) method/i;
const MISSING = { ok: false, code: -32601, message: `no ${METHOD}` } as const;

/** Whether a node has said that it does not support the method. */
export const isMethodMissing = (outcome: RpcOutcome | undefined): boolean =>
  outcome?.ok === false &&
  (METHOD_NOT_FOUND_CODES.has(outcome.code) || METHOD_NOT_FOUND.test(outcome.message));

const isSimulation = ({ method }: RpcCall): boolean => method === METHOD;

/** Maximum seconds between two blocks of the simulation. */
const waitOf = ([{ blockStateCalls }]: Simulation): number => {
  const times = blockStateCalls.map(({ blockOverrides }) => Number(blockOverrides.time));
  return Math.max(0, ...times.slice(1).map((time, i) => time - (times[i] ?? time)));
};

/** Whether all calls after the first block succeed. */
const worksLater = (blocks: SimulatedBlocks | undefined): boolean =>
  blocks !== undefined &&
  blocks.slice(1).every(({ calls }) => calls.every(({ status }) => status === '0x1'));

/** Called contracts, other than those that exist in the simulation only, from its first block on. */
const calledContracts = ([{ blockStateCalls }]: Simulation): Hex[] => {
  const made = new Set(Object.keys(blockStateCalls[0]?.stateOverrides ?? {}));
  const called = blockStateCalls.flatMap(({ calls }) => calls.map(({ to }) => to));
  return [...new Set(called)].filter((address) => !made.has(address));
};

/** Emulates one `eth_simulateV1` with `eth_call` only. */
const emulate = async (
  node: ChainNode,
  clocked: (address: Hex, kind: ClockKind) => Promise<ClockedContract[]>,
  params: readonly unknown[],
): Promise<RpcOutcome> => {
  const simulation = simulationSchema.parse(params);
  // A single call has one sender and one gas price: it cannot show what depends on either.
  const [{ blockStateCalls }] = simulation;
  if (blockStateCalls.some(({ blockOverrides }) => blockOverrides.baseFeePerGas)) return MISSING;
  const run = async (clock?: Clock): Promise<RpcOutcome> => {
    const call = { method: 'eth_call', params: sequenceParams(simulation, clock) };
    const [outcome = MISSING] = await node.batch([call]);
    if (!outcome.ok) return outcome;
    const result = readSequence(simulation, outcome.result);
    return result ? { ok: true, result } : MISSING;
  };
  const clockFor = async (kind: ClockKind): Promise<Clock | undefined> => {
    const found = calledContracts(simulation).map((address) => clocked(address, kind));
    const contracts = (await Promise.all(found)).flat();
    return contracts.length > 0 ? clockOf(kind, contracts) : undefined;
  };
  const blocksOf = (outcome: RpcOutcome) =>
    outcome.ok ? (outcome.result as SimulatedBlocks) : undefined;

  // If only seconds pass, a trade that works at once needs no clock.
  const isLong = waitOf(simulation) > BLOCK_SECONDS;
  const timed = isLong ? await clockFor('time') : undefined;
  const first = await run(timed);
  if (!first.ok || worksLater(blocksOf(first))) return first;
  for (const kind of ['time', 'number'] as const) {
    const clock = timed && kind === 'time' ? undefined : await clockFor(kind);
    const outcome = clock && (await run(clock));
    if (outcome && worksLater(blocksOf(outcome))) return outcome;
  }
  return first;
};

/** Contracts with a clock that can be advanced, each examined once. */
const createClockFinder = (node: ChainNode) => {
  const contracts = new Map<Hex, ReturnType<typeof readContract>>();
  return async (address: Hex, kind: ClockKind): Promise<ClockedContract[]> => {
    const reading = contracts.get(address) ?? readContract(node, address);
    contracts.set(address, reading);
    const found = await reading;
    const clocked = found && clockedContract(address, found, kind);
    return clocked ? [clocked] : [];
  };
};

/**
 * A node that answers `eth_simulateV1` whether or not it supports it: if not, by `eth_call` with the code of
 * CallSequence.sol in place of the acting accounts. Then the trader is no ordinary account, the block does not
 * change, and time passes only for directly called contracts. A node without state overrides either answers that the
 * method is missing.
 */
export const createSimulatingNode = (node: ChainNode, clock: Pick<WallClock, 'now'>): ChainNode => {
  let missingUntilMs = 0;

  const emulateAll = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    const clocked = createClockFinder(node);
    return Promise.all(calls.map(({ params }) => emulate(node, clocked, params)));
  };

  return {
    batch: async (calls) => {
      if (!calls.some(isSimulation)) return node.batch(calls);
      if (clock.now() >= missingUntilMs) {
        const outcomes = await node.batch(calls);
        if (!outcomes.some(isMethodMissing)) return outcomes;
        missingUntilMs = clock.now() + UNSUPPORTED_MS;
      }
      const others = calls.filter((call) => !isSimulation(call));
      const [emulated, passed] = await Promise.all([
        emulateAll(calls.filter(isSimulation)),
        others.length > 0 ? node.batch(others) : [],
      ]);
      const next = { emulated: emulated.values(), passed: passed.values() };
      return calls.map(
        (call) => (isSimulation(call) ? next.emulated : next.passed).next().value ?? MISSING,
      );
    },
  };
};
