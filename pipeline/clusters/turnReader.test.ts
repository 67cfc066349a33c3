import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../shared/chain/block.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { readTurns, type TurnReaderPorts } from './turnReader.ts';

const START_MS = 1_700_000_000_000;
const token = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;

/** Reads a table to which each element of `polls` adds rows, until they are used up. */
const follow = async (
  polls: readonly (() => void)[],
  table: { token: Hex; atMs: number }[],
  change: Partial<TurnReaderPorts> = {},
): Promise<Hex[][]> => {
  const ending = new AbortController();
  const turned: Hex[][] = [];
  let poll = 0;
  const ports: TurnReaderPorts = {
    fromMs: START_MS,
    turnsSince: async (sinceMs) => table.filter(({ atMs }) => atMs >= sinceMs),
    turned: async (tokens) => void turned.push([...tokens]),
    clock: {
      sleep: async () => {
        const next = polls[poll];
        poll += 1;
        if (next) next();
        else ending.abort();
      },
    },
    logger: silentLogger,
    ...change,
  };
  await readTurns(ports, ending.signal);
  return turned;
};

describe('readTurns', () => {
  it('reports each turn once, those that are seen late and those of a token that turns again too', async () => {
    const table = [{ token: token(1), atMs: START_MS + 10_000 }];
    const late = { token: token(2), atMs: START_MS + 5_000 };
    const again = { token: token(1), atMs: START_MS + 11_000 };
    const turned = await follow(
      [() => undefined, () => void table.unshift(late), () => void table.push(again)],
      table,
    );
    assert.deepEqual(turned, [[token(1)], [token(2)], [token(1)]]);
  });

  it('begins where it is set to, and a little before: servers differ in what time it is', async () => {
    const table = [31_000, 29_000, 0].map((agoMs, i) => {
      return { token: token(i), atMs: START_MS - agoMs };
    });
    assert.deepEqual(await follow([], table), [[token(1), token(2)]]);
  });

  it('reports many in parts', async () => {
    const table = Array.from({ length: 600 }, (_, i) => ({ token: token(i), atMs: START_MS }));
    const turned = await follow([], table);
    assert.deepEqual(
      turned.map(({ length }) => length),
      [256, 256, 88],
    );
    assert.deepEqual(
      turned.flat(),
      table.map((turn) => turn.token),
    );
  });

  it('reports again what could not be handled, and ends on what will never pass', async () => {
    const table = [{ token: token(1), atMs: START_MS }];
    let calls = 0;
    const failing = (error: Error) => async () => {
      calls += 1;
      if (calls === 1) throw error;
    };
    await follow([() => undefined], table, { turned: failing(new RetryableError('away')) });
    assert.equal(calls, 2);
    calls = 0;
    const ends = follow([], table, { turned: failing(new TypeError('a bug')) });
    await assert.rejects(ends, TypeError);
  });
});
