import { startScript, type TestProcess } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import { LOOPBACK } from '../local/launch.ts';
import { untilAnswers } from './childProcesses.ts';
import type { SyntheticMarkets } from './markets.ts';

/** Starts a node of a synthetic chain as a process of its own: see `syntheticNode.ts`. */
export const startSyntheticNode = async (
  blocks: number,
  markets: SyntheticMarkets,
): Promise<{ readonly url: string; readonly process: TestProcess }> => {
  const port = await freePort();
  const program = ['--import', 'tsx', 'deploy/bench/syntheticNode.ts'];
  const process = startScript('node', [...program, String(port), String(blocks), markets]);
  const url = `http://${LOOPBACK}:${port}`;
  await untilAnswers(`${url}/counts`, process);
  return { url, process };
};
