import type { Hex } from '../../shared/chain/block.ts';
import { countSchema } from '../../shared/messages/schemas.ts';
import type { NameQuestion, WalletHit, WalletPage } from '../search/search.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';
import type { VerdictPage } from '../tokens/verdictPage.ts';
import type { ListIndex } from './createListIndex.ts';
import type { IndexFilter } from './listPage.ts';

type Asked = Pick<ListIndex, 'ask'>;

/**
 * A token in the form the index returns it: digits of its address, whether it is a scam, and `summary_json`, in which
 * 64-bit numbers are strings.
 */
type Entry = readonly [
  digits: string,
  isScam: number,
  summary: readonly [
    name: string,
    symbol: string,
    confidence: number,
    riskScore: number,
    model: string,
    createdAtS: number | string,
    analyzedAtMs: number | string,
    blockNumber: number | string,
  ],
];

const summaryOf = ([digits, isScam, summary]: Entry): VerdictSummary => {
  const [name, symbol, confidence, riskScore, model, createdAtS, analyzedAtMs, blockNumber] =
    summary;
  return {
    token: `0x${digits}`,
    name,
    symbol,
    prediction: isScam === 1 ? 'SCAM' : 'LEGIT',
    confidence,
    riskScore,
    model,
    createdAtS: Number(createdAtS),
    analyzedAtMs: Number(analyzedAtMs),
    blockNumber: Number(blockNumber),
  };
};

// The thread of this process is trusted: validating each entry of a list took ten times as long as parsing it.

const entriesOf = (answer: unknown): VerdictSummary[] =>
  (answer as readonly Entry[]).map(summaryOf);

/** The entries of one page. */
export const listTokens = async (
  index: Asked,
  page: VerdictPage & IndexFilter,
): Promise<VerdictSummary[]> => entriesOf(await index.ask('list', page));

/** How many tokens a filter accepts. */
export const countTokens = async (index: Asked, filter: IndexFilter): Promise<number> =>
  countSchema.parse(await index.ask('count', filter));

/** Verdicts of those requested tokens that have one, in any order. */
export const findTokens = async (index: Asked, tokens: readonly Hex[]): Promise<VerdictSummary[]> =>
  entriesOf(await index.ask('find', tokens));

/** A search result: the total, and the hits of a page. */
interface Found {
  readonly total: number;
  readonly hits: readonly (readonly [
    relevance: number,
    match: 'address' | 'pool' | 'symbol' | 'name',
    entry: Entry,
  ])[];
}

/** Tokens that a text finds. */
export const searchTokens = async (index: Asked, question: NameQuestion) => {
  const { total, hits } = (await index.ask('search', question)) as Found;
  return {
    total,
    hits: hits.map(([relevance, match, entry]) => {
      return { relevance, match, verdict: summaryOf(entry) };
    }),
  };
};

/** The wallets of a page, and how many a filter accepts. */
export const searchWallets = async (
  index: Asked,
  page: WalletPage,
): Promise<{ wallets: WalletHit[]; total: number }> =>
  (await index.ask('wallets', page)) as Awaited<ReturnType<typeof searchWallets>>;
