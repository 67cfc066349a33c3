import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { countSchema } from '../../shared/messages/schemas.ts';
import type { NameQuestion } from '../search/search.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';
import type { VerdictPage } from '../tokens/verdictPage.ts';
import type { TokenIndex } from './createTokenIndex.ts';
import type { IndexFilter } from './listPage.ts';

const entrySchema = z
  .tuple([
    z.string(),
    z.number(),
    z.tuple([
      z.string(),
      z.string(),
      z.number(),
      z.number(),
      z.string(),
      z.coerce.number(),
      z.coerce.number(),
      z.coerce.number(),
    ]),
  ])
  .transform(([digits, isScam, summary]): VerdictSummary => {
    const [name, symbol, confidence, riskScore, model, createdAtS, analyzedAtMs, blockNumber] =
      summary;
    const prediction = isScam === 1 ? 'SCAM' : 'LEGIT';
    const scores = { prediction, confidence, riskScore, model } as const;
    const token: Hex = `0x${digits}`;
    return { token, name, symbol, ...scores, createdAtS, analyzedAtMs, blockNumber };
  });
const entriesSchema = z.array(entrySchema);

/** The entries of one page. */
export const listTokens = async (
  index: TokenIndex,
  page: VerdictPage & IndexFilter,
): Promise<VerdictSummary[]> => entriesSchema.parse(await index.ask('list', page));

/** How many tokens a filter leaves. */
export const countTokens = async (index: TokenIndex, filter: IndexFilter): Promise<number> =>
  countSchema.parse(await index.ask('count', filter));

/** Verdicts of those tokens that have one, in any order. */
export const findTokens = async (
  index: TokenIndex,
  tokens: readonly Hex[],
): Promise<VerdictSummary[]> => entriesSchema.parse(await index.ask('find', tokens));

const foundSchema = z.object({
  total: z.number(),
  hits: z.array(
    z
      .tuple([z.number(), z.enum(['address', 'pool', 'symbol', 'name']), entrySchema])
      .transform(([relevance, match, verdict]) => ({ relevance, match, verdict })),
  ),
});

/** Tokens that a text finds. */
export const searchTokens = async (index: TokenIndex, question: NameQuestion) =>
  foundSchema.parse(await index.ask('search', question));
