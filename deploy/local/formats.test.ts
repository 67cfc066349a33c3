import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration, formatTable, shortLogLine } from './formats.ts';

describe('formatDuration', () => {
  const cases: [ms: number, text: string][] = [
    [999, '0 s'],
    [59_999, '59 s'],
    [61_000, '1 min 1 s'],
    [3_660_000, '1 h 1 min'],
    [90_000_000, '1 d 1 h'],
  ];
  for (const [ms, text] of cases) {
    it(`writes ${ms} ms as ${text}`, () => assert.equal(formatDuration(ms), text));
  }
});

describe('formatTable', () => {
  it('lines columns up', () => {
    const table = formatTable([
      ['part', 'pid'],
      ['clickhouse', '7'],
    ]);
    assert.equal(table, 'part        pid\nclickhouse  7');
  });
});

describe('log line of a failure', () => {
  it('is the message of a program, without its stack', () => {
    const line = JSON.stringify({
      level: 50,
      time: '2026-01-05T10:00:00.000Z',
      role: 'api',
      err: { message: 'x', stack: 'at y' },
      lease: 'z',
      msg: 'stopped: x',
    });
    assert.equal(shortLogLine(line), '[2026-01-05 10:00:00.000] ERROR: stopped: x {"lease":"z"}');
  });

  it('is what a server wrote', () =>
    assert.equal(shortLogLine('[1] [INF] ready'), '[1] [INF] ready'));
});
