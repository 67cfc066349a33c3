import { z } from 'zod';
import { freePort } from '../../shared/testing/services.ts';
import { LOOPBACK } from '../local/launch.ts';
import { apiEnvironment } from './benchApi.ts';
import type { BenchStack } from './benchStack.ts';
import { untilAnswers } from './childProcesses.ts';
import { type BlockPlan, LIVE_WETH } from './liveBlock.ts';

const minedSchema = z.object({ number: z.number(), minedAtMs: z.number() });
/** A block's number, and the Unix milliseconds at which it was announced. */
export type MinedBlock = z.output<typeof minedSchema>;

/** A chain whose blocks are produced on request: see `liveNode.ts`. */
export interface LiveChain {
  readonly nodeUrl: string;
  /** Settings of the roles and the API on this chain. */
  readonly environment: Readonly<Record<string, string>>;
  /** Prepares the next blocks without announcing them. */
  readonly prepare: (plan: BlockPlan, count: number) => Promise<void>;
  /** Announces the next block. */
  readonly mine: () => Promise<MinedBlock>;
}

const CHAIN_ID = 31_337;

const order = async (nodeUrl: string, path: string, body: object): Promise<unknown> => {
  const response = await fetch(`${nodeUrl}/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the node refuses: ${await response.text()}`);
  return response.json();
};

/** Starts the node beside the stack; it ends with it. */
export const startLiveChain = async (stack: BenchStack): Promise<LiveChain> => {
  const port = await freePort();
  const args = ['--import', 'tsx', 'deploy/bench/liveNode.ts', `${port}`, `${CHAIN_ID}`];
  const node = stack.start('node', args);
  const nodeUrl = `http://${LOOPBACK}:${port}`;
  await untilAnswers(nodeUrl, node);
  return {
    nodeUrl,
    environment: {
      ...apiEnvironment(CHAIN_ID, 1),
      RPC_URL: nodeUrl.replace('http', 'ws'),
      WETH_ADDRESS: LIVE_WETH,
      STABLE_ADDRESSES: '',
      NATIVE_PRICE_USD: '2000',
    },
    prepare: async (plan, count) => {
      await order(nodeUrl, 'prepare', { ...plan, count });
    },
    mine: async () => minedSchema.parse(await order(nodeUrl, 'mine', {})),
  };
};
