import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { runCommand } from './runCommand.ts';

const TIMEOUT_MS = 20_000;

const check = (version: string) =>
  runCommand(process.execPath, ['deploy/local/checkNode.mjs', version], {
    timeoutMs: TIMEOUT_MS,
    cwd: projectRoot(),
  });

describe('the version of Node', () => {
  it('is accepted where it is one that `make node-versions` tries, or newer', async () => {
    const makefile = readFileSync(join(projectRoot(), 'Makefile'), 'utf8');
    const tried = /^NODE_VERSIONS := (.+)$/m.exec(makefile)?.[1]?.split(' ') ?? [];
    assert.ok(tried.length >= 4);
    const results = await Promise.all([...tried, '28.0.0'].map(check));
    assert.deepEqual(
      results.filter(({ code }) => code !== 0),
      [],
    );
  });

  it('is refused with those that are supported where packages do not run on it', async () => {
    for (const version of ['18.20.8', '20.18.3', '21.7.3', '22.12.0']) {
      const { code, stderr } = await check(version);
      assert.equal(code, 1, version);
      assert.match(stderr, new RegExp(`^Node ${version} is not supported: have one of \\^20`));
    }
  });
});
