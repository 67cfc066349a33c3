import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import type { Launch } from './launch.ts';
import type { Part } from './parts.ts';
import { isPortTaken } from './probes.ts';
import type { Processes } from './processes.ts';

const PORT_POLL_MS = 50;
/** Log lines shown of a part that failed. */
export const LINES_SHOWN = 20;

/** Why a part does not run, and what it logged last. */
export class PartFailedError extends Error {
  override name = 'PartFailedError';
}

/** A part's failure with the end of its log. */
export const failed = (part: Part, reason: string, processes: Processes): PartFailedError => {
  const lines = processes.lastLines(part.name, LINES_SHOWN);
  const log = lines.length === 0 ? [] : [`Its last log lines:`, ...lines.map((l) => `  ${l}`)];
  return new PartFailedError([`${part.name} ${reason}.`, ...log].join('\n'));
};

const buildDigest = (): string => {
  const folder = join(projectRoot(), 'dist');
  const hash = createHash('sha256');
  if (!existsSync(folder)) return '';
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((name) => name.endsWith('.js')).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex');
};

/** Tells whether a process is what would be started now: configuration, and of roles the build. */
export const createFingerprints = (): ((part: Part, launch: Launch) => string) => {
  const build = buildDigest();
  return ({ kind }, launch) =>
    createHash('sha256')
      .update(JSON.stringify(launch))
      .update(kind === 'role' ? build : '')
      .digest('hex');
};

/** Waits until a part's ports are free. Resolves to what is wrong where one is not within `waitMs`. */
export const waitForPorts = async (part: Part, waitMs: number): Promise<string | undefined> => {
  const deadline = Date.now() + waitMs;
  for (const port of part.ports) {
    while (await isPortTaken(port)) {
      if (Date.now() > deadline) {
        return `needs port ${port}, which another program uses: choose another PORT_BASE`;
      }
      await sleep(PORT_POLL_MS);
    }
  }
  return undefined;
};
