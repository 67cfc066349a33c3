import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClickHouseError } from '@clickhouse/client';
import { z } from 'zod';
import { classifyClickhouseError } from './clickhouse.ts';
import { FatalError, RetryableError } from './errors.ts';

const serverError = (code: string, message = 'said the server'): ClickHouseError =>
  new ClickHouseError({ code, type: 'SOME', message });

describe('errors of ClickHouse', () => {
  for (const code of ['159', '202', '241', '243', '252', '319']) {
    it(`pass with code ${code}`, () => {
      assert.ok(classifyClickhouseError(serverError(code)) instanceof RetryableError);
    });
  }

  for (const code of ['47', '60', '62', '516']) {
    it(`stop the process with code ${code}`, () => {
      const classified = classifyClickhouseError(serverError(code));
      assert.ok(classified instanceof FatalError);
      assert.match(classified.message, new RegExp(`ClickHouse ${code}: said the server`));
    });
  }

  it('pass when the connection does', () => {
    for (const error of [new Error('socket hang up'), new Error('Timeout error.'), 'text']) {
      assert.ok(classifyClickhouseError(error) instanceof RetryableError);
    }
  });

  it('stop the process at a row of another shape', () => {
    const { error } = z.object({ a: z.number() }).safeParse({ a: 'x' });
    const classified = classifyClickhouseError(error);
    assert.ok(classified instanceof FatalError);
    assert.match(classified.message, /unexpected row/);
    assert.equal(classified.cause, error);
  });

  it('are reported in bounded length', () => {
    const long = classifyClickhouseError(serverError('47', 'x'.repeat(10_000)));
    assert.ok(long.message.length < 600);
  });
});
