import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../platform/projectRoot.ts';
import { startScript, type TestProcess, until } from './pipelineProcess.ts';
import { freePort } from './services.ts';

const SHARED = join(projectRoot(), '../shared');
const TOOL = join(SHARED, 'tools/replay-rpc.mjs');
/** Verified mainnet blocks. */
export const RECORDED_BLOCKS = join(SHARED, 'data/mainnet-blocks');
/** The history of pools of 2020 and 2021. */
export const RECORDED_MARKET = join(SHARED, 'data/univ2-weth-pools');

/** What a test of recorded data is skipped for, loudly; false where the data are there. */
export const skipUnless = (folder: string): string | false =>
  existsSync(TOOL) && existsSync(folder) ? false : `SKIPPED: ${folder} is not there`;

/** A node that serves recorded data. */
export interface Replay {
  readonly url: string;
  readonly process: TestProcess;
}

const READY_MS = 180_000;
/** A free port may be taken before the tool binds it: another one is tried. */
const START_ATTEMPTS_MAX = 3;

/** The replay tool as the chain's node. */
export const startReplay = async (args: readonly string[]): Promise<Replay> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const process = startScript('replay', [TOOL, ...args, '--port', String(port)]);
    const isUp = () => process.output().includes('replaying') || undefined;
    try {
      await until('the replayed chain', isUp, READY_MS, [process]);
      return { url: `http://127.0.0.1:${port}`, process };
    } catch (error) {
      await process.stop('SIGKILL');
      if (attempt === START_ATTEMPTS_MAX) throw error;
    }
  }
};
