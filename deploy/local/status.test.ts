import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMetrics, sumOf } from './status.ts';

const TEXT = `# HELP a_total Words.
# TYPE a_total counter
a_total{kind="x",text="a \\"b\\", {c}"} 3
a_total{kind="y"} 4.5

b 1e+21
nonsense
`;

describe('the text of metrics', () => {
  it('is read into samples', () => {
    assert.deepEqual(parseMetrics(TEXT), [
      { name: 'a_total', labels: { kind: 'x', text: 'a \\"b\\", {c}' }, value: 3 },
      { name: 'a_total', labels: { kind: 'y' }, value: 4.5 },
      { name: 'b', labels: {}, value: 1e21 },
    ]);
  });

  it('is summed by name and labels', () => {
    const samples = parseMetrics(TEXT);
    assert.equal(sumOf(samples, 'a_total'), 7.5);
    assert.equal(sumOf(samples, 'a_total', { kind: 'y' }), 4.5);
    assert.equal(sumOf(samples, 'a_total', { kind: 'z' }), undefined);
    assert.equal(sumOf(samples, 'c'), undefined);
  });
});
