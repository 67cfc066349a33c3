import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { programArgs } from '../../shared/testing/pipelineProcess.ts';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { OPCODE_NAMES, opcodeHistogram } from '../scorer/model/opcodeHistogram.ts';

const TIMEOUT_MS = 180_000;
const COIN = '000000000000000000';

describe('make evaluate', () => {
  const folder = tempFolder();

  const file = (name: string, lines: readonly string[]): string => {
    const path = join(folder, name);
    const text = `${lines.join('\n')}\n`;
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
    return path;
  };
  const run = (script: string, args: readonly string[]) =>
    spawnSync(process.execPath, [...programArgs(`pipeline/training/${script}`), ...args], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
    });

  it('writes a row for every pool with a Sync, from files plain or gzip, and counts the others', () => {
    const sync = file('sync.csv.gz', [
      'pool,block,tx_index,log_index,reserve_weth_wei,reserve_token_raw',
      `0xaa,13200000,1,1,5${COIN},1000`,
      `0xaa,13200010,1,1,7${COIN},800`,
      `0xbb,13200000,1,9,1,1000`,
      `0xcc,13200000,1,7,9${COIN},1000`,
      '0xcc,13200005,1,7,100,1',
      `0xee,13200005,1,8,3${COIN},1000`,
    ]);
    const pools = file('pools.csv', [
      'cohort,pool,token,creator,anything',
      '2021,0xAA,0x1,0x9,',
      '2021,0xbb,0x2,,x',
      '2021,0xcc,0x3,,',
      '2021,0xdd,0x4,,',
    ]);
    const out = join(folder, 'scores.csv');
    const done = run('evaluate.ts', [
      '--sync',
      sync,
      '--pools',
      pools,
      '--lp',
      '',
      '--at',
      '1h',
      '--out',
      out,
    ]);
    assert.equal(done.status, 0, done.stderr);
    assert.match(
      done.stdout,
      /4 pools as of 3600 s .* 1 held less than 0.5 WETH then and 1 were drained.* 1 pools of the list .* 1 with Syncs/,
    );
    const [header, row = '', ...rest] = readFileSync(out, 'utf8').trim().split('\n');
    assert.equal(header, 'pool,probability,margin,clear');
    assert.deepEqual(
      rest.map((line) => line.split(',')[0]),
      ['0xbb', '0xcc', '0xee'],
    );
    const [pool, probability, margin] = row.split(',');
    assert.equal(pool, '0xAA');
    assert.ok(Math.abs(Number(probability) - 1 / (1 + Math.exp(-Number(margin)))) < 1e-12);
  });

  it('counts what creators made before, from a folder of recordings or the one above it', () => {
    mkdirSync(join(folder, 'univ2-weth-pools'));
    const columns = 'pool,block,tx_index,log_index,reserve_weth_wei,reserve_token_raw';
    file('univ2-weth-pools/sync-2020.csv.gz', [
      columns,
      `0xf1,10000000,1,1,5${COIN},1000`,
      '0xf1,10000100,1,1,100,1',
    ]);
    file('univ2-weth-pools/pools.csv.gz', ['cohort,pool,token,creator', '2020,0xf1,0x8,0x9']);
    const sync = file('later.csv', [columns, `0xaa,13200000,1,1,5${COIN},1000`]);
    const pools = file('laterPools.csv', ['cohort,pool,token,creator', '2021,0xaa,0x1,0x9']);
    const scores = (history: string): string => {
      const out = join(folder, 'later-scores.csv');
      const args = `--sync ${sync} --pools ${pools} --at 1h --out ${out} --history`.split(' ');
      const done = run('evaluate.ts', [...args, history]);
      assert.equal(done.status, 0, done.stderr);
      return readFileSync(out, 'utf8');
    };
    const found = scores(join(folder, 'univ2-weth-pools'));
    assert.equal(scores(folder), found);
    assert.notEqual(scores(''), found);
  });

  it('names the file or column that is missing', () => {
    const sync = file('bad.csv', ['pool,block', '0xaa,1']);
    const pools = file('list.csv', ['cohort,pool,token,creator']);
    const rest = ['--pools', pools, '--at', '1h', '--out', join(folder, 'none.csv')];
    const absentColumn = run('evaluate.ts', ['--sync', sync, ...rest]);
    assert.equal(absentColumn.status, 2);
    assert.match(absentColumn.stderr, /bad.csv has no column log_index, reserve_weth_wei/);
    const absentFile = run('evaluate.ts', ['--sync', join(folder, 'absent.csv'), ...rest]);
    assert.match(absentFile.stderr, /cannot read .*absent.csv/);
    assert.match(run('evaluate.ts', []).stderr, /SYNC is missing/);
  });

  it('scores opcode histograms', () => {
    const counts = [...opcodeHistogram('0x6080604052348015f3')].join(',');
    const path = file('codes.csv', [`token_address,${OPCODE_NAMES.join(',')}`, `0xee,${counts}`]);
    const out = join(folder, 'codes-out.csv');
    const done = run('evaluateContracts.ts', ['--histograms', path, '--out', out]);
    assert.equal(done.status, 0, done.stderr);
    assert.match(readFileSync(out, 'utf8'), /^token_address,probability,margin\n0xee,0\.\d+,-?\d/);
    const broken = file('few.csv', ['token_address,STOP', '0xee,1']);
    const failed = run('evaluateContracts.ts', ['--histograms', broken, '--out', out]);
    assert.equal(failed.status, 2);
    assert.match(failed.stderr, /few.csv has no column /);
  });

  it('scores names of tokens, quoted or not, and names the row and the field that is wrong', () => {
    const address = `0x${'A'.repeat(40)}`;
    const header = 'chain,address,name,symbol,spam';
    const path = file('names.csv.gz', [
      header,
      `ethereum,${address},"Free, for you","Visit ""eth-x.top"" to claim rewards",1`,
      `8453,${address},Honest Hen,HEN,0`,
      `somewhere,${address},,,0`,
    ]);
    const out = join(folder, 'names-out.csv');
    const done = run('evaluateNames.ts', ['--names', path, '--out', out]);
    assert.equal(done.status, 0, done.stderr);
    const [head, ...rows] = readFileSync(out, 'utf8').trim().split('\n');
    assert.equal(head, 'chain,address,score');
    const scores = rows.map((row) => Number(row.split(',')[2]));
    assert.deepEqual(
      rows.map((row) => row.split(',').slice(0, 2)),
      ['ethereum', '8453', 'somewhere'].map((chain) => [chain, address]),
    );
    assert.ok((scores[0] ?? 0) > 0.9 && (scores[1] ?? 1) < 0.1, scores.join(' '));
    for (const [lines, message] of [
      [['chain,address,name', '1,0x1,a'], /has no column symbol; it has chain, address, name/],
      [[header, `1,${address},a,b,0`, '1,0x12,a,b,0'], /row 3: address is no address/],
      [[header, `,${address},a,b,0`], /row 2: chain is empty/],
      [[header, `1,${address},a`], /line 2: 3 cells, not 5/],
      [[], /is empty/],
    ] as const) {
      const broken = run('evaluateNames.ts', ['--names', file('bad.csv', lines), '--out', out]);
      assert.equal(broken.status, 2, broken.stderr);
      assert.match(broken.stderr, message);
    }
  });

  it('scores the powers that code gives, and compares them with labels', () => {
    const codes = file('contracts.csv.gz', [
      'address,code',
      `0x${'aa'.repeat(20)},0x60003556`,
      `0x${'bb'.repeat(20)},00`,
    ]);
    const labels = file('labels.csv', [
      'address,power,present',
      `0x${'aa'.repeat(20)},mint,0`,
      `0x${'bb'.repeat(20)},mint,0`,
    ]);
    const [out, findings] = [join(folder, 'powers.csv'), join(folder, 'findings.csv')];
    const args = ['--codes', codes, '--out', out, '--findings', findings, '--labels', labels];
    const done = run('evaluatePowers.ts', args);
    assert.equal(done.status, 0, done.stderr);
    assert.equal(
      readFileSync(out, 'utf8'),
      `address,mint,leak,limit\n0x${'aa'.repeat(20)},0.0000,0.0000,0.0000\n0x${'bb'.repeat(20)},0.0000,0.0000,0.0000\n`,
    );
    assert.match(readFileSync(findings, 'utf8'), /^address,power,function,reason\n$/);
    assert.match(done.stdout, /mint: 2 labels.*\n.*: 2 contracts scored, median/s);
    const broken = file('broken.csv', ['address,code', `0x${'aa'.repeat(20)},0xz`]);
    const failed = run('evaluatePowers.ts', ['--codes', broken, '--out', join(folder, 'none.csv')]);
    assert.equal(failed.status, 2);
    assert.match(failed.stderr, /broken.csv, row 2: code of /);
    assert.match(run('evaluatePowers.ts', []).stderr, /usage: make evaluate-powers/);
  });
});
