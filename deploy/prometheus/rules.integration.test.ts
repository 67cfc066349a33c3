import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { runCommand } from '../local/runCommand.ts';
import { type Binary, promtool } from '../local/serverBinaries.ts';

const FOLDER = join(projectRoot(), 'deploy/prometheus');
const TIMEOUT_MS = 120_000;

const casesSchema = z.array(
  z
    .object({ name: z.string(), at: z.string(), rings: z.string(), series: z.record(z.string()) })
    .strict(),
);

/** The cases as unit tests of promtool. */
const unitTests = (): string => {
  // Every value is a text: 0x10 is ten zeros to Prometheus.
  const text = readFileSync(join(FOLDER, 'alarms.test.yml'), 'utf8');
  const cases = casesSchema.parse(parse(text, { schema: 'failsafe' }));
  return stringify({
    rule_files: [join(FOLDER, 'rules.yml')],
    evaluation_interval: '1m',
    tests: cases.map(({ name, at, rings, series }) => ({
      name,
      interval: '1m',
      input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
      promql_expr_test: [
        {
          expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: at,
          exp_samples: rings === 'none' ? [] : [{ labels: `{alertname="${rings}"}`, value: 1 }],
        },
      ],
    })),
  });
};

describe('the configuration of Prometheus, by promtool', () => {
  let tool: Binary;
  before(async () => {
    tool = await promtool();
  });

  const check = async (...args: string[]): Promise<void> => {
    const env = { ...process.env, ...tool.env };
    const result = await runCommand(tool.path, args, { timeoutMs: TIMEOUT_MS, env });
    assert.equal(result.code, 0, `${result.stdout}\n${result.stderr}`);
  };

  it('is valid', () => check('check', 'config', join(FOLDER, 'prometheus.yml')));

  it('has rules that ring when they should and are silent otherwise', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'tsd-alarms-'));
    test.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'cases.yml');
    writeFileSync(file, unitTests());
    await check('test', 'rules', file);
  });
});
