import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderPage } from './present.ts';
import { z } from './schema.ts';

const setup = () => {
  const presented: number[] = [];
  const text = renderPage(z.object({ n: z.number().int() }), (n: number) => {
    presented.push(n);
    return { n, secret: true } as { n: number };
  });
  return { presented, text };
};

describe('renderPage', () => {
  it('shows the first entries as their schema allows, once for a page', () => {
    const { presented, text } = setup();
    const page = [1, 2, 3];
    assert.equal(text(page, 2), '[{"n":1},{"n":2}]');
    assert.equal(text(page, 2), '[{"n":1},{"n":2}]');
    assert.deepEqual(presented, [1, 2]);
  });

  it('shows another part of a page, and another page, again', () => {
    const { text } = setup();
    const page = [1, 2];
    assert.equal(text(page, 1), '[{"n":1}]');
    assert.equal(text(page, 5), '[{"n":1},{"n":2}]');
    assert.equal(text([], 5), '[]');
  });

  it('refuses what the schema does not hold', () => {
    const { text } = setup();
    assert.throws(() => text([0.5], 1), z.ZodError);
  });
});
