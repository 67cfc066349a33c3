import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/**
 * A temporary folder for the tests of a suite, or for the running one. It is removed after them, or by a later test
 * if it was left behind.
 */
export const tempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), `tsd-test-${process.pid}-`));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
