import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { confine } from './confinement.ts';
import { launchClickhouse } from './launch.ts';
import { type CommandResult, runCommand } from './runCommand.ts';

const TIMEOUT_MS = 20_000;

describe('confine', () => {
  const folder = tempFolder();
  const inside = (name: string): string => join(folder, 'inside', name);
  before(() => {
    mkdirSync(inside('.'));
    writeFileSync(inside('file'), 'seen');
    writeFileSync(join(folder, 'file'), 'unseen');
  });

  const run = async (code: string): Promise<CommandResult> => {
    const { path, args, env } = await confine({ read: [], write: [inside('.')] });
    return runCommand(path, [...args, process.execPath, '-e', code], {
      timeoutMs: TIMEOUT_MS,
      env: { ...process.env, ...env, OPENSSL_CONF: '/dev/null', NODE_OPTIONS: '' },
    });
  };
  const read = (path: string): Promise<CommandResult> =>
    run(`process.stdout.write(fs.readFileSync('${path}'))`);

  it('leaves what is allowed', async () => {
    assert.equal((await read(inside('file'))).stdout, 'seen');
    const code = `fs.writeFileSync('${inside('a')}', ''); fs.renameSync('${inside('a')}', '${inside('b')}')`;
    assert.equal((await run(code)).code, 0);
  });

  it('closes every other file to reading, writing and listing', async () => {
    const paths = [
      join(folder, 'file'),
      join(folder, 'inside/../file'),
      '/etc/passwd',
      '/proc/self/environ',
      '/proc/self/root/etc/passwd',
      `/proc/${process.pid}/environ`,
      `/proc/${process.pid}/cmdline`,
    ];
    const code = [
      ...paths.map((path) => `fs.readFileSync('${path}')`),
      `fs.writeFileSync('${join(folder, 'new')}', '')`,
      `fs.linkSync('${join(folder, 'file')}', '${inside('link')}')`,
      `fs.renameSync('${join(folder, 'file')}', '${inside('moved')}')`,
      `fs.rmSync('${join(folder, 'file')}')`,
      `fs.readdirSync('${folder}')`,
      `fs.readdirSync('/')`,
    ];
    const tries = code.map(
      (line) => `try { ${line}; console.log('open') } catch (e) { console.log(e.code) }`,
    );
    const { stdout, stderr } = await run(tries.join('\n'));
    const answers = stdout.trim().split('\n');
    assert.equal(answers.length, code.length, stderr);
    answers.forEach((answer, index) => assert.match(answer, /^(EACCES|EPERM|EXDEV)$/, code[index]));
  });

  it('follows a link to nowhere else', async () => {
    const { code, stderr } = await run(
      `fs.symlinkSync('${join(folder, 'file')}', '${inside('way')}'); fs.readFileSync('${inside('way')}')`,
    );
    assert.notEqual(code, 0);
    assert.match(stderr, /EACCES/);
  });

  it('holds what is started in it', async () => {
    const { stdout } = await run(
      `const r = require('node:child_process').spawnSync(process.execPath, ['-e', "fs.readFileSync('/etc/passwd')"]); process.stdout.write(r.stderr)`,
    );
    assert.match(stdout, /EACCES/);
  });

  it('shows ClickHouse no more of this checkout than it runs with', async () => {
    const at = (name: string): string => join(projectRoot(), name);
    const settings = { dataDir: inside('.'), stateDir: folder, httpPort: 1 };
    const { command, args, env } = await launchClickhouse(settings);
    const open = [
      'package.json',
      'node_modules',
      'deploy/clickhouse',
      'deploy/local/clickhouseServer.mjs',
    ];
    const entries = ['.', 'deploy', 'deploy/local'].flatMap((parent) => [
      parent,
      ...readdirSync(at(parent)).map((name) => join(parent, name)),
    ]);
    const closed = entries.filter((name) => !open.includes(name));
    const code = `const seen = (path) => {
        try { fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path); return true; }
        catch (error) { if (error.code !== 'EACCES') throw error; return false; } };
      const names = ${JSON.stringify([...open, ...closed])};
      const written = names.filter((name) => { try { fs.closeSync(fs.openSync(name, 'r+')); return true; } catch { return false; } });
      process.stdout.write(JSON.stringify([names.filter(seen), written]))`;
    const argv = [...args.slice(0, args.indexOf(process.execPath) + 1), '-e', code];
    const { stdout, stderr } = await runCommand(command, argv, {
      timeoutMs: TIMEOUT_MS,
      env: { ...process.env, ...env },
      cwd: projectRoot(),
    });
    assert.deepEqual(JSON.parse(stdout || 'null'), [open, []], stderr);
  });

  it('starts nothing where the machine cannot confine, and says what to do', async () => {
    const script =
      "#!/bin/sh\n[ \"$1\" = --version ] && echo 'setpriv from util-linux 2.41' && exit\necho 'setpriv: no Landlock' >&2\nexit 1\n";
    writeFileSync(join(folder, 'setpriv'), script, { mode: 0o755 });
    const path = process.env['PATH'];
    try {
      process.env['PATH'] = `${folder}:${path}`;
      await assert.rejects(confine({ read: [], write: [] }), /no Landlock[^]*CLICKHOUSE_URL/);
    } finally {
      process.env['PATH'] = path;
    }
  });
});
