import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** A folder for the tests of a suite, or for the one that runs, which is gone after them, or once a later test finds it left behind. */
export const tempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), `tsd-test-${process.pid}-`));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
