import { once } from 'node:events';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { LOOPBACK } from '../local/launch.ts';
import { MIB } from './childProcesses.ts';

const targetsSchema = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })]);
const messageSchema = z.object({
  id: z.number().optional(),
  result: z.object({ result: z.object({ value: z.string().optional() }).optional() }).optional(),
});
const memorySchema = z.object({ heapUsed: z.number(), external: z.number() });

/** Live memory of a process, MiB: V8's heap, and buffers outside it. */
export interface CollectedMemory {
  readonly heapMib: number;
  readonly externalMib: number;
}

const TIMEOUT_MS = 60_000;
/** Memory released by finalizers is collected by the second run. */
const COLLECTIONS = 2;

/** The environment that lets `collectedMemoryOf` reach a process of Node.js. */
export const inspectable = (port: number): Record<string, string> => ({
  NODE_OPTIONS: `--inspect=${LOOPBACK}:${port}`,
});

/**
 * Forces full collections in another process through its inspector, and reads the remaining memory. The process is
 * paused meanwhile: milliseconds per MiB.
 * @throws Error if its inspector does not answer within a minute
 */
export const collectedMemoryOf = async (inspectorPort: number): Promise<CollectedMemory> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const targets = await fetch(`http://${LOOPBACK}:${inspectorPort}/json/list`, { signal });
  const [{ webSocketDebuggerUrl }] = targetsSchema.parse(await targets.json());
  const socket = new WebSocket(webSocketDebuggerUrl, { perMessageDeflate: false });
  try {
    await once(socket, 'open', { signal });
    const ask = async (method: string, params: object = {}): Promise<string> => {
      socket.send(JSON.stringify({ id: 1, method, params }));
      const [data] = (await once(socket, 'message', { signal })) as [Buffer];
      const { id, result } = messageSchema.parse(JSON.parse(data.toString()));
      if (id !== 1 || !result) throw new Error(`${method}: ${data.toString()}`);
      return result.result?.value ?? '';
    };
    for (let i = 0; i < COLLECTIONS; i += 1) await ask('HeapProfiler.collectGarbage');
    const expression = 'JSON.stringify(process.memoryUsage())';
    const memory = memorySchema.parse(JSON.parse(await ask('Runtime.evaluate', { expression })));
    return { heapMib: memory.heapUsed / MIB, externalMib: memory.external / MIB };
  } finally {
    socket.terminate();
  }
};
