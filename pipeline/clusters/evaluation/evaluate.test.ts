import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { programArgs } from '../../../shared/testing/pipelineProcess.ts';
import { tempFolder } from '../../../shared/testing/tempFolder.ts';

const RUN_MS_MAX = 120_000;
const folder = tempFolder();

/** Runs the script on two files. */
const run = (edges: string | Buffer, deployments: string | Buffer) => {
  const path = (name: string): string => join(folder, name);
  writeFileSync(path('edges'), edges);
  writeFileSync(path('deployments'), deployments);
  const files = ['edges', 'deployments', 'out'].flatMap((name) => [`--${name}`, path(name)]);
  const args = [...programArgs('pipeline/clusters/evaluation/evaluate.ts'), ...files];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: projectRoot(),
    encoding: 'utf8',
    timeout: RUN_MS_MAX,
  });
  return { status, stderr, out: () => readFileSync(path('out'), 'utf8').trimEnd().split('\n') };
};

const EDGES = ['from,to,kind,value,block,tx', 'm,a,fund,1,1,', 'm,b,fund,1,2,'];
const DEPLOYMENTS = ['token,creator,block,scam', 't1,a,5,1', 't2,b,6,1'];
const RING = new Set(['a', 'b', 'm']);
const walletsOf = (lines: readonly string[]): Set<string | undefined> =>
  new Set(lines.slice(1).map((line) => line.split(',')[0]));

describe('make evaluate-clusters', () => {
  it('writes the wallets of a ring with its id and their roles', () => {
    const { status, out } = run(EDGES.join('\n'), DEPLOYMENTS.join('\n'));
    assert.equal(status, 0);
    assert.equal(out()[0], 'wallet,cluster,role');
    assert.deepEqual(walletsOf(out()), RING);
    assert.equal(
      new Set(
        out()
          .slice(1)
          .map((line) => line.split(',')[1]),
      ).size,
      1,
    );
  });

  it('reads gzip, a byte order mark, other columns and separators, and leaves out what is incomplete', () => {
    const edges = [
      '\ufeffBlock;Sender;Recipient;"Type"',
      '1;m;a;fund',
      '2;m;"b";fund',
      '3;;a;fund',
    ];
    const deployments = ['scam,deployer,contract,block', 'TRUE,a,t1,5', 'yes,b,t2,6', '1,,t3,7'];
    const packed = gzipSync(edges.join('\r\n'));
    const { status, out, stderr } = run(packed, deployments.join('\n'));
    assert.equal(status, 0, stderr);
    assert.deepEqual(walletsOf(out()), RING);
    assert.match(stderr, /1 rows without both ends left out/);
    assert.match(stderr, /1 rows without token or creator left out/);
  });

  it('says what is wrong with a file that it cannot use', () => {
    const { status, stderr } = run('x,y\n1,2', DEPLOYMENTS.join('\n'));
    assert.equal(status, 2);
    assert.match(stderr, /no column from, to; it has x, y/);
  });
});
