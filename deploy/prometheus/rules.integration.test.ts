import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { runCommand } from '../local/runCommand.ts';
import { type Binary, promtool } from '../local/serverBinaries.ts';

const FOLDER = join(projectRoot(), 'deploy/prometheus');
const TIMEOUT_MS = 120_000;

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

  it('has rules that ring when they should and are silent otherwise', () =>
    check('test', 'rules', join(FOLDER, 'rules.test.yml')));
});
