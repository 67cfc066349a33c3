import type { Clock } from '../clock.ts';
import type { Endpoint } from './endpoint.ts';
import { RpcError } from './rpcError.ts';

/** Attempts before the failure is thrown. */
const ATTEMPTS_MIN = 3;
/** Longest wait for a resting endpoint within one operation. */
const REST_WAIT_MS_MAX = 2_000;

/** Order of preference: not resting, then those that have the block, then the cheapest. */
const ranked = (endpoints: readonly Endpoint[], wantHeight: number, nowMs: number): Endpoint[] => {
  const best = Math.max(...endpoints.map((endpoint) => endpoint.height));
  const wanted = Math.min(wantHeight, best);
  const rank = (endpoint: Endpoint): readonly number[] => [
    endpoint.restUntilMs() > nowMs ? 1 : 0,
    endpoint.height < wanted ? 1 : 0,
    endpoint.score(),
  ];
  return endpoints
    .map((endpoint) => ({ endpoint, key: rank(endpoint) }))
    .toSorted((a, b) => {
      const at = a.key.findIndex((value, i) => value !== b.key[i]);
      return at < 0 ? 0 : (a.key[at] ?? 0) - (b.key[at] ?? 0);
    })
    .map(({ endpoint }) => endpoint);
};

/** Fails over between nodes by quality. A single node is simply retried. */
export const createEndpointPool = (endpoints: readonly Endpoint[], clock: Clock) => {
  const run = async <T>(
    attempt: (endpoint: Endpoint) => Promise<T>,
    wantHeight = 0,
  ): Promise<T> => {
    const attemptsMax = Math.max(ATTEMPTS_MIN, endpoints.length);
    const tried: Endpoint[] = [];
    let failure: RpcError | undefined;
    while (tried.length < attemptsMax) {
      const order = ranked(endpoints, wantHeight, clock.now());
      const endpoint = order.find((one) => !tried.includes(one)) ?? order[0];
      if (!endpoint) throw new Error('a pool needs an endpoint');
      const restMs = endpoint.restUntilMs() - clock.now();
      if (restMs > 0) await clock.sleep(Math.min(restMs, REST_WAIT_MS_MAX));
      tried.push(endpoint);
      try {
        return await attempt(endpoint);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        failure = error;
        if (error.failure === 'rangeTooLarge') throw error;
        if (error.failure === 'behind' && endpoints.every((one) => tried.includes(one)))
          throw error;
      }
    }
    throw failure ?? new Error('no attempt was made');
  };
  return {
    endpoints,
    /**
     * Runs `attempt` at the best node, then at the next one if it throws an RpcError.
     * @param wantHeight block that the work needs: nodes known to be below it are tried last.
     * @throws the last RpcError; `rangeTooLarge` at once, because asking another node costs as much.
     */
    run,
    close: (): void => {
      for (const endpoint of endpoints) endpoint.close();
    },
  };
};
/** Several nodes behind one interface. */
export type EndpointPool = ReturnType<typeof createEndpointPool>;
