import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Opens a file and unlinks it: its space is freed when the process ends, however it ends. */
export const openUnnamed = <T>(open: (folder: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'token-index-'));
  try {
    return open(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};
