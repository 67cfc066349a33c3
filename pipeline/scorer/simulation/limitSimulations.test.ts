import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { HolderTrials, TradeSimulation } from '../checks/checkInput.ts';
import type { HeldToken } from './holderTrials.ts';
import { limitSimulations } from './limitSimulations.ts';
import type { Head } from './simulateParams.ts';
import type { TradeRequest } from './simulations.ts';

const TRIED: TradeSimulation = { kind: 'unknown', reason: sentence('noTrade') };
const request = (i: number): TradeRequest => ({
  kind: 'reserves',
  pool: `0x${i.toString(16).padStart(40, '0')}`,
  token: `0x${(i + 1_000).toString(16).padStart(40, '0')}`,
  baseToken: `0x${'11'.repeat(20)}`,
});
const HEAD = { number: 1, timestampS: 1 } as Head;
const TRIALS = { tried: 1 } as HolderTrials;
const held = (i: number): HeldToken => ({ ...request(i), holders: {} as HeldToken['holders'] });

const setup = (perMinuteMax: number) => {
  const state = { nowMs: 0, tried: 0, left: 0, warnings: 0 };
  const limited = limitSimulations({
    simulate: async (requests) => {
      state.tried += requests.length;
      return requests.map(() => TRIED);
    },
    tryHolders: async (tokens) => {
      state.tried += tokens.length;
      return tokens.map(() => TRIALS);
    },
    perMinuteMax,
    count: (tokens) => {
      state.left += tokens;
    },
    clock: { now: () => state.nowMs },
    logger: { warn: () => void (state.warnings += 1) },
  });
  return { state, ...limited };
};

describe('the limit of simulations', () => {
  it('bounds what a farm of launches costs, whatever it launches', async () => {
    const { state, simulate } = setup(60);
    // Ten launches a second for ten minutes, each touched three times.
    for (let second = 0; second < 600; second += 1) {
      state.nowMs = second * 1_000;
      await simulate(
        Array.from({ length: 30 }, (_one, i) => request(second * 30 + i)),
        HEAD,
      );
    }
    assert.ok(state.tried <= 60 + 600, `${state.tried} were tried in ten minutes`);
    assert.ok(state.tried >= 600, `only ${state.tried} were tried`);
    assert.equal(state.tried + state.left, 18_000);
    assert.ok(state.warnings >= 9 && state.warnings <= 11, `${state.warnings} warnings`);
  });

  it('says of the others that they were not tried, and tries them when there is room', async () => {
    const { state, simulate } = setup(2);
    const requests = [request(1), request(2), request(3)];
    const first = await simulate(requests, HEAD);
    assert.deepEqual(first[0], TRIED);
    assert.deepEqual(first[2], { kind: 'unknown', reason: sentence('simulationsLimited') });
    state.nowMs = 60_000;
    assert.deepEqual(await simulate([request(3)], HEAD), [TRIED]);
  });

  it('bounds with the same room what trials by holders cost', async () => {
    const { state, simulate, tryHolders } = setup(3);
    await simulate([request(1), request(2)], HEAD);
    assert.deepEqual(await tryHolders([held(1), held(2)], HEAD), [TRIALS, undefined]);
    assert.deepEqual([state.tried, state.left, state.warnings], [3, 1, 1]);
    state.nowMs = 60_000;
    assert.deepEqual(await tryHolders([held(2)], HEAD), [TRIALS]);
  });
});
