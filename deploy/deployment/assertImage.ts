import assert from 'node:assert/strict';
import { APP_IMAGE } from './images.ts';
import { podman } from './machine.ts';

/** What only tests, training and the build have. */
const UNWANTED = /\.(test|scale|chaos|bench)\.|\/(testing|training|fixtures)(\/|$)|\.ts$/;
const UNWANTED_PACKAGES = ['typescript', 'tsx', 'chdb', 'biome', 'solc', 'anvil'];
/** Part of the path of machine code for other platforms. */
const OTHER_PLATFORM = /\/(win32|darwin|arm64)\//;

const runIn = (args: readonly string[]): Promise<string> =>
  podman(['run', '--rm', '--pull=never', '--network', 'none', '--read-only', ...args]);

/** Checks what the image holds, by whom it is run, and that it can change nothing. Throws an error on what is wrong. */
export const assertImage = async (): Promise<void> => {
  const list = await runIn(['--entrypoint', 'find', APP_IMAGE, '/app', '-type', 'f']);
  const files = list.trim().split('\n');
  const own = files.filter((file) => !file.startsWith('/app/node_modules/'));
  assert.ok(own.includes('/app/dist/api/main.js'));
  assert.deepEqual(
    own.filter((file) => UNWANTED.test(file)),
    [],
  );
  const packages = UNWANTED_PACKAGES.filter((name) =>
    files.some((file) => file.startsWith(`/app/node_modules/${name}/`)),
  );
  assert.deepEqual(packages, []);
  assert.deepEqual(
    files.filter((file) => OTHER_PLATFORM.test(file) && file.endsWith('.node')),
    [],
  );
  const code = `const { writeFileSync } = require('fs');
    const tries = ['/app/x', '/app/dist/x', '/x'].map((path) => {
      try { writeFileSync(path, ''); return 'written'; } catch (error) { return error.code; } });
    console.log([process.getuid(), process.getgid(), ...tries].join(' '))`;
  assert.equal((await runIn([APP_IMAGE, '-e', code])).trim(), '10001 10001 EROFS EROFS EROFS');
};
