import type { Hex } from '../../shared/chain/block.ts';
import { CHAIN_PROFILES } from '../../shared/chain/chains.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { addressInput, z } from '../server/schema.ts';
import type { Tokens } from '../tokens/createTokens.ts';
import type { Jobs } from '../tokens/jobs.ts';
import { language } from '../tokens/schema.ts';
import type { Wallets } from '../wallets/wallet.ts';
import { scanOfToken, scanOfUnknown, scanOfWallet, scanResultSchema } from './scanResult.ts';

const TOKENS_MAX = 100;

interface Ports {
  readonly tokens: Tokens;
  readonly wallets: Pick<Wallets, 'find'>;
  readonly jobs: Pick<Jobs, 'start'>;
  readonly chainId: number;
}

/** The chain served here, by name or number. Wallets state it, so that they do not query the wrong service. */
const chainField = (chainId: number) => {
  const name = CHAIN_PROFILES.get(chainId)?.name.toLowerCase();
  const allowed = [
    ...(name === undefined ? [] : [name]),
    `${chainId}`,
    `0x${chainId.toString(16)}`,
  ];
  const message = `must be the chain of this service: ${allowed.join(', ')}`;
  return z
    .string()
    .refine((text) => allowed.includes(text.toLowerCase()), { message })
    .optional()
    .openapi({ type: 'string', enum: allowed, description: 'The chain of this service' });
};
const sentences = language.default('en').openapi({ description: 'Language of the sentences' });

/** POST /api/scan/address */
export const scanAddress = (ports: Ports): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/api/scan/address',
    id: 'scanAddress',
    tag: 'Scan',
    summary: 'Scan an address',
    description:
      'A token or wallet in the form that wallets show before a user signs: `result_type`, `reason`, `features`. Answers from what is stored; never starts an analysis.',
    body: z
      .object({ address: addressInput, chain: chainField(ports.chainId), language: sentences })
      .strict(),
    response: scanResultSchema,
    successes: { 200: 'What is known of the address' },
    handle: async ({ body }) => {
      const verdict = await ports.tokens.findRecent(body.address);
      if (verdict) return { body: scanOfToken(verdict, body.language) };
      const wallet = await ports.wallets.find(body.address);
      return {
        body: wallet
          ? scanOfWallet(wallet, body.language)
          : scanOfUnknown(body.address, body.language),
      };
    },
  });

/** Queues unknown tokens; those that cannot be queued now are queued when they are scanned again. */
const startAnalyses = async (ports: Ports, family: string, tokens: readonly Hex[]) => {
  await Promise.all(
    tokens.map((token) =>
      ports.jobs
        .start({ family, token, force: false, analyzedAtMs: undefined })
        .catch((error: unknown) => {
          if (!(error instanceof RetryableError)) throw error;
        }),
    ),
  );
};

/** POST /api/scan/tokens */
export const scanTokens = (ports: Ports): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/api/scan/tokens',
    id: 'scanTokens',
    tag: 'Scan',
    summary: 'Scan tokens',
    description:
      'Many tokens at once in the form that wallets show: one result for each distinct address, by the address in lower case. Analyses of unknown tokens are started; until they are done these tokens are `Info` with `not_analyzed`. Each distinct address counts as one request of the daily quota.',
    dayUnits: 0,
    isHeavy: true,
    body: z
      .object({
        tokens: z
          .array(addressInput)
          .min(1, 'must not be empty')
          .max(TOKENS_MAX, `must have at most ${TOKENS_MAX} items`)
          .openapi({ description: `Addresses of tokens, 1 to ${TOKENS_MAX}` }),
        chain: chainField(ports.chainId),
        language: sentences,
      })
      .strict(),
    response: z.object({ results: z.record(z.string(), scanResultSchema) }),
    successes: { 200: 'A result for each distinct address' },
    handle: async ({ body, caller, charge }) => {
      const addresses = [...new Set(body.tokens)];
      await charge(addresses.length);
      const verdicts = await Promise.all(
        addresses.map((address) => ports.tokens.findRecent(address)),
      );
      const unknown = addresses.filter((_, index) => verdicts[index] === undefined);
      await startAnalyses(ports, caller.family, unknown);
      const results = addresses.map((address, index) => {
        const verdict = verdicts[index];
        const { language } = body;
        const result = verdict ? scanOfToken(verdict, language) : scanOfUnknown(address, language);
        return [address, result];
      });
      return { body: { results: Object.fromEntries(results) } };
    },
  });
