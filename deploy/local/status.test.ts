import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeBackfill, describeMissing, parseMetrics, type Scraped, sumOf } from './status.ts';

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

describe('the backfill', () => {
  const at = (watcherLag: number, scorerLag: number): Scraped => ({
    watcher: parseMetrics(
      `tsd_watcher_head_block 2000\ntsd_watcher_start_block 1000\ntsd_watcher_lag_blocks ${watcherLag}`,
    ),
    scorer: parseMetrics(`tsd_reader_lag_blocks ${scorerLag}\ntsd_scoring_queue_tokens 70`),
    clusters: [],
    alerts: [],
    api: [],
  });

  it('is as far as its slowest part', () => {
    assert.equal(
      describeBackfill({ before: at(0, 700), now: at(0, 600), tookS: 2 }),
      'backfill 40 %, block 1400 of 2000, 50 blocks/s, about 12 s left, 70 tokens to score',
    );
  });

  it('names no time where nothing moves', () => {
    assert.match(
      describeBackfill({ before: at(900, 0), now: at(900, 0), tookS: 2 }) ?? '',
      /10 %.* time left unknown/,
    );
  });

  it('is over at the head', () => {
    assert.equal(describeBackfill({ before: at(0, 100), now: at(0, 16), tookS: 2 }), undefined);
  });
});

describe('methods that a node lacks', () => {
  it('are named with what they cost, once', () => {
    const errors = (node: string, method: string, kind: string): string =>
      `tsd_node_errors_total{node="${node}",method="${method}",kind="${kind}"} 3`;
    const found = describeMissing({
      watcher: parseMetrics(
        [
          errors('a.example', 'eth_getBlockReceipts', 'methodMissing'),
          errors('a.example', 'eth_getLogs', 'rangeTooLarge'),
          errors('b.example', 'eth_getBlockReceipts', 'unreachable'),
        ].join('\n'),
      ),
      scorer: parseMetrics(errors('a.example', 'eth_simulateV1', 'methodMissing')),
      clusters: [],
      alerts: [],
      api: [],
    });
    assert.equal(found.length, 2);
    assert.match(found[0] ?? '', /^node a\.example has no eth_getBlockReceipts: .*one by one/);
    assert.match(found[1] ?? '', /^node a\.example has no eth_simulateV1: .*80 %/);
  });
});
