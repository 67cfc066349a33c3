import { z } from 'zod';

/** How one simulated call ended. */
export interface CallResult {
  readonly ok: boolean;
  /** Its answer, or the data it reverted with. Chosen by a contract: any length, any bytes. */
  readonly returnData: string;
}

/** The fields of the answer to `eth_simulateV1` that are used; a node's own fields are dropped. */
const resultSchema = z.array(
  z.object({
    calls: z.array(z.object({ status: z.enum(['0x0', '0x1']), returnData: z.string() })),
  }),
);

/**
 * The results of the calls of all blocks, in order. Undefined where the answer has not exactly the
 * blocks and calls that were asked for.
 */
export const readSimulation = (
  result: unknown,
  callsPerBlock: readonly number[],
): CallResult[] | undefined => {
  const parsed = resultSchema.safeParse(result);
  if (!parsed.success || parsed.data.length !== callsPerBlock.length) return undefined;
  const complete = parsed.data.every(({ calls }, i) => calls.length === callsPerBlock[i]);
  if (!complete) return undefined;
  return parsed.data.flatMap(({ calls }) =>
    calls.map(({ status, returnData }) => ({ ok: status === '0x1', returnData })),
  );
};
