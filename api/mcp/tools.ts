import { LANGUAGES } from '../../shared/sentences/language.ts';
import type { Method } from '../server/endpoint.ts';
import { addressInput, z } from '../server/schema.ts';
import { WAIT_S_MAX } from '../tokens/jobs.ts';

/** A request of the API. */
export interface ToolRequest {
  readonly method: Method;
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
}

/** A tool that a language model may call: one operation of the API under a name that states its purpose. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodRawShape;
  /** Whether calling it changes no data of the account. */
  readonly isReadOnly: boolean;
  /** The API request for a call whose arguments match `input`. */
  readonly request: (input: unknown) => ToolRequest;
  /** The part of the response's `data` that is returned; all of it if absent. */
  readonly select?: (data: Readonly<Record<string, unknown>>) => unknown;
}

const defineTool = <S extends z.ZodRawShape>(
  tool: Omit<Tool, 'input' | 'request'> & {
    readonly input: S;
    readonly request: (input: z.output<z.ZodObject<S>>) => ToolRequest;
  },
): Tool => ({
  ...tool,
  // The server passes what `input` has parsed.
  request: (input) => tool.request(input as z.output<z.ZodObject<S>>),
});

const tokenAddress = addressInput.describe('Address of the token contract: 0x and 40 hex digits');
const walletAddress = addressInput.describe('Address of the wallet: 0x and 40 hex digits');
const language = z
  .enum(LANGUAGES)
  .default('en')
  .describe('Language of the sentences in the answer');
const watchedType = z.enum(['wallet', 'token']).default('token').describe('What the address is');
const limit = z.number().int().min(1).max(100).default(10).describe('Entries, 1 to 100');

const pathWith = (path: string, query: Readonly<Record<string, string | number>>): string =>
  `${path}?${new URLSearchParams(query as Record<string, string>).toString()}`;

const predict = (address: string, sentencesIn: string): ToolRequest => ({
  method: 'post',
  path: `/api/predict/${address}`,
  body: { wait: WAIT_S_MAX, language: sentencesIn },
});

const without = (data: Readonly<Record<string, unknown>>, ...names: string[]) =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));

/** The verdict without features, contributions and passed checks: small enough for a conversation. */
const summary = (data: Readonly<Record<string, unknown>>): unknown => {
  const { explanation } = data as { explanation?: Record<string, unknown> };
  if (!explanation) return data;
  const checks = (explanation['checks'] ?? []) as { status: string }[];
  return {
    ...without(data, 'features', 'explanation'),
    ...without(explanation, 'base_value', 'contributions'),
    checks: checks.filter(({ status }) => status !== 'pass'),
  };
};

/** Every tool of the MCP server, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  defineTool({
    name: 'check_token',
    title: 'Check a token',
    description:
      'Whether a token is a scam: prediction, certainty, advice with its reasons, risk score (0 to 100) and the checks that did not pass. Analyses a token that is not known yet, which may take half a minute; status is then `analyzing` and the call can be repeated.',
    input: { address: tokenAddress, language },
    isReadOnly: true,
    request: (input) => predict(input.address, input.language),
    select: summary,
  }),
  defineTool({
    name: 'explain_verdict',
    title: 'Explain a verdict',
    description:
      'The full basis of the verdict on a token: each feature with its exact contribution in log-odds, and every check with evidence that can be replayed.',
    input: { address: tokenAddress, language },
    isReadOnly: true,
    request: (input) => predict(input.address, input.language),
  }),
  defineTool({
    name: 'token_locks',
    title: 'Locks of a token',
    description:
      'Locked liquidity and supply of a token, until when, and whether each lock was proven or is fake.',
    input: { address: tokenAddress },
    isReadOnly: true,
    request: ({ address }) => ({ method: 'get', path: `/api/tokens/${address}/locks` }),
  }),
  defineTool({
    name: 'list_tokens',
    title: 'List tokens',
    description: 'The newest analysed tokens, or only scams, or only others.',
    input: {
      is_rug: z.boolean().optional().describe('true: only scams; false: only others'),
      limit,
    },
    isReadOnly: true,
    request: ({ is_rug: isRug, limit: count }) => ({
      method: 'get',
      path: pathWith('/api/tokens', {
        limit: count,
        ...(isRug === undefined ? {} : { is_rug: String(isRug) }),
      }),
    }),
  }),
  defineTool({
    name: 'check_wallet',
    title: 'Check a wallet',
    description:
      'Risk and role of a wallet, and the record of the tokens that it created: how many of them were scams.',
    input: { address: walletAddress },
    isReadOnly: true,
    request: ({ address }) => ({ method: 'get', path: `/api/wallets/${address}` }),
  }),
  defineTool({
    name: 'list_rings',
    title: 'List rings',
    description: 'Rings of wallets that create and trade scams together, the riskiest first.',
    input: { limit },
    isReadOnly: true,
    request: ({ limit: count }) => ({
      method: 'get',
      path: pathWith('/clusters', { limit: count }),
    }),
  }),
  defineTool({
    name: 'get_ring',
    title: 'Show a ring',
    description: 'Members of a ring with their roles, its tokens and what it took from others.',
    input: {
      id: z
        .string()
        .regex(/^[\w-]{1,64}$/, 'must be the id of a ring')
        .describe('As in `cluster_id` or in list_rings'),
    },
    isReadOnly: true,
    request: ({ id }) => ({ method: 'get', path: `/clusters/${id}` }),
  }),
  defineTool({
    name: 'search',
    title: 'Search',
    description:
      'Tokens, wallets and rings by symbol, name or the start of an address; tokens also by the address of a pool.',
    input: { q: z.string().min(1).max(100).describe('What to look for'), limit },
    isReadOnly: true,
    request: ({ q, limit: count }) => ({
      method: 'get',
      path: pathWith('/api/search', { q, limit: count }),
    }),
  }),
  defineTool({
    name: 'watch_address',
    title: 'Watch an address',
    description: 'Adds a token or wallet to the watchlist of the account; alerts follow.',
    input: { address: addressInput.describe('0x and 40 hex digits'), type: watchedType },
    isReadOnly: false,
    request: (body) => ({ method: 'post', path: '/api/watchlist', body }),
  }),
  defineTool({
    name: 'unwatch_address',
    title: 'Stop watching an address',
    description: 'Removes a token or wallet from the watchlist of the account.',
    input: { address: addressInput.describe('0x and 40 hex digits'), type: watchedType },
    isReadOnly: false,
    request: ({ address, type }) => ({
      method: 'delete',
      path: pathWith(`/api/watchlist/${address}`, { type }),
    }),
  }),
  defineTool({
    name: 'list_watchlist',
    title: 'Show the watchlist',
    description: 'The watched tokens and wallets of the account, newest first.',
    input: { limit },
    isReadOnly: true,
    request: ({ limit: count }) => ({
      method: 'get',
      path: pathWith('/api/watchlist', { type: 'all', limit: count }),
    }),
  }),
  defineTool({
    name: 'list_alerts',
    title: 'Show alerts',
    description: 'Alerts of the watched tokens and wallets, newest first.',
    input: { limit },
    isReadOnly: true,
    request: ({ limit: count }) => ({
      method: 'get',
      path: pathWith('/api/alerts', { limit: count }),
    }),
  }),
];
