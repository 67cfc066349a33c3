import assert from 'node:assert/strict';

/** Fails with what is too much and what is missing, no more. */
export const assertSameLines = (
  actual: readonly string[],
  expected: readonly string[],
  what: string,
): void => {
  const [there, wanted] = [new Set(actual), new Set(expected)];
  assert.deepEqual(
    {
      tooMuch: actual.filter((line) => !wanted.has(line)),
      missing: expected.filter((line) => !there.has(line)),
      lines: actual.length,
    },
    { tooMuch: [], missing: [], lines: expected.length },
    what,
  );
};
