import assert from 'node:assert/strict';
import { it } from 'node:test';
import { luaMutants } from './luaMutants.ts';

const SOURCE = [
  'const LIMIT = 1 + 1;',
  'const SCRIPT = `',
  '${SHARED}',
  'if used + 1 > limit then return 0 end',
  "redis.call('SET', KEYS[1], used)",
  '`;',
  'const name = `quota-${LIMIT + 1}`;',
].join('\n');

it('changes each operator, number and write of the Lua alone, one at a time', () => {
  const mutants = luaMutants(SOURCE);
  assert.deepEqual(
    mutants.map(({ line, text }) => [line, text.split('\n')[line - 1]]),
    [
      [4, 'if used + 1 >= limit then return 0 end'],
      [4, 'if used - 1 > limit then return 0 end'],
      [4, 'if used + 2 > limit then return 0 end'],
      [4, 'if used + 1 > limit then return 1 end'],
      [5, ''],
    ],
  );
});
