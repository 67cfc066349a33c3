import { z } from 'zod';

const REQUEST_TIMEOUT_MS = 5_000;

const verdictSchema = z.object({
  address: z.string(),
  symbol: z.string(),
  prediction: z.enum(['SCAM', 'LEGIT']),
  confidence: z.number(),
  risk_score: z.number(),
  shap_values: z.record(z.number()),
  checks: z.array(z.object({ id: z.string(), status: z.string(), reason: z.string() })).optional(),
  provenance: z.object({ block_number: z.number() }),
  cluster_id: z.string().nullable().optional(),
});

const ringSchema = z.object({
  id: z.string(),
  wallets: z.array(z.object({ address: z.string(), role: z.string() })),
  tokens: z.array(z.object({ address: z.string(), prediction: z.string() })),
  statistics: z.object({
    size: z.number(),
    tokens_created: z.number(),
    scam_rate: z.number(),
    total_stolen: z.number(),
    victims: z.number(),
  }),
  evidence: z.array(z.object({ rule: z.string() })).optional(),
});

const alertSchema = z.object({
  id: z.number(),
  type: z.string(),
  severity: z.string(),
  token: z.object({ address: z.string(), symbol: z.string() }),
  details: z.record(z.union([z.number(), z.string(), z.boolean(), z.null()])),
  recommendation: z.string(),
  created_at: z.string(),
});

const errorSchema = z.object({ code: z.string().optional(), message: z.string() });

/** A token's verdict as the API shows it. */
export type Verdict = z.infer<typeof verdictSchema>;
/** A ring as the API shows it. */
export type Ring = z.infer<typeof ringSchema>;
/** An alert as the API shows it. */
export type Alert = z.infer<typeof alertSchema>;

/** The API answered an error, or something that is not its documented answer. */
export class ApiError extends Error {}

export type ApiClient = ReturnType<typeof createApiClient>;

/** The calls the demo makes, as any customer would. All throw {@link ApiError} on an error answer. */
export const createApiClient = ({ baseUrl, key }: { baseUrl: string; key: string }) => {
  const call = async <T>(schema: z.ZodType<T>, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) {
      const { data: error } = errorSchema.safeParse(answer);
      throw new ApiError(`${response.status} ${error?.code ?? ''} ${error?.message ?? ''}`);
    }
    const parsed = z.object({ data: schema }).safeParse(answer);
    if (parsed.success) return parsed.data.data as T;
    const [issue] = parsed.error.issues;
    throw new ApiError(`${path} answered ${issue?.path.join('.')}: ${issue?.message}`);
  };

  return {
    /** The verdict of a token. */
    verdict: async (address: string): Promise<Verdict> => call(verdictSchema, `/tokens/${address}`),
    /** A ring by its id. */
    ring: async (id: string): Promise<Ring> => call(ringSchema, `/clusters/${id}`),
    /** Watches a token for a pull of its liquidity. */
    watchToken: async (address: string): Promise<number> => {
      const item = { type: 'token', address, alerts: ['rug_pull'], sensitivity: 'medium' };
      return (await call(z.object({ id: z.number() }), '/watchlist', item)).id;
    },
    /** The newest alerts of this key. */
    alerts: async (): Promise<Alert[]> =>
      (await call(z.object({ alerts: z.array(alertSchema) }), '/alerts?limit=100')).alerts,
  };
};
