import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { api } from '../testing/filledApi.ts';
import { KNOWN } from '../testing/sampleAccount.ts';

const execute = promisify(execFile);
const RUN_MS_MAX = 120_000;
const TEXT = readFileSync(new URL('./EXAMPLES.md', import.meta.url), 'utf8');
const blocks = (language: string): string[] =>
  [...TEXT.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, code = '']) => code,
  );

const COMPILER_OPTIONS = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  noUncheckedIndexedAccess: true,
  types: ['node'],
};

describe('the examples in the documentation', () => {
  const folder = tempFolder();
  let environment: NodeJS.ProcessEnv;
  before(async () => {
    environment = {
      PATH: process.env['PATH'],
      BASE: api.baseUrl,
      KEY: (await api.newKey('pro')).key,
      TOKEN: KNOWN.token,
      WALLET: KNOWN.creator,
      ETAG: '*',
    };
  });
  const run = (command: string, args: string[]) =>
    execute(command, args, { cwd: folder, env: environment, timeout: RUN_MS_MAX });

  it('for curl are all answered with a success', async () => {
    const scripts = blocks('sh');
    assert.equal(scripts.length, 7);
    for (const script of scripts) {
      const { stdout } = await run('bash', ['-e', '-c', script]);
      if (script.includes('http_code')) assert.equal(stdout, '304');
      else assert.match(stdout, /"success":true/, `${script}\n${stdout}`);
      assert.doesNotMatch(stdout, /"success":false/, `${script}\n${stdout}`);
    }
  });

  it('for TypeScript compile against the types of the API, and run', async () => {
    const [code = ''] = blocks('ts');
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, '@types'), { recursive: true });
    for (const name of [
      'openapi-fetch',
      'openapi-typescript-helpers',
      '@types/node',
      'undici-types',
    ])
      cpSync(join(projectRoot(), 'node_modules', name), join(modules, name), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'client.ts'), code);
    writeFileSync(join(folder, 'wrong.ts'), code.replace(`'SCAM', limit: 5`, `'NICE', limit: 'x'`));
    const config = { compilerOptions: COMPILER_OPTIONS, files: ['client.ts', 'wrong.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await run('curl', ['-sS', '-o', 'openapi.d.ts', `${api.baseUrl}/openapi.d.ts`]);
    const compiler = join(projectRoot(), 'node_modules/.bin/tsc');
    const said = await run(compiler, ['-p', folder]).then(
      () => assert.fail('what is wrong compiles'),
      (error: { stdout: string }) => error.stdout,
    );
    const errors = said.split('\n').filter((line) => line.includes(': error '));
    assert.ok(errors.length > 0, said);
    for (const line of errors) assert.match(line, /^wrong\.ts.* error TS2322: /);
    const loader = join(projectRoot(), 'node_modules/tsx/dist/loader.mjs');
    const { stdout } = await run(process.execPath, ['--import', loader, 'client.ts']);
    assert.match(stdout, /^MPEPE 95\nSCAM ageS\nwatched \d+\n$/);
  });
});
