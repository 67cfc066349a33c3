import { z } from 'zod';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { createFeatureFeed, FEATURES, featureValues } from './featureFeed.ts';
import type { IndexThread } from './indexThread.ts';
import type { IndexedToken } from './openIndex.ts';
import { createRowFeed, type FeedPorts, type FollowedTable, storedRow } from './rowFeed.ts';
import { VERDICT_TABLE } from './rowRanges.ts';

const verdictRow = storedRow.extend({
  isScam: z.number(),
  percent: z.number(),
  risk: z.number(),
  createdAtS: countSchema,
  analyzedAtMs: countSchema,
  confidence: z.number(),
  riskScore: z.number(),
  name: z.string(),
  symbol: z.string(),
  creator: addressSchema,
  failed: z.array(z.string()),
  summary: z.string(),
  isDeleted: z.number(),
  features: featureValues.optional(),
});
type VerdictRow = z.infer<typeof verdictRow>;

const VERDICTS: FollowedTable<VerdictRow> = {
  ...VERDICT_TABLE,
  columns: `r.is_scam AS isScam, r.percent AS percent, r.risk AS risk, toUnixTimestamp(r.created_at) AS createdAtS,
    toUnixTimestamp64Milli(r.analyzed_at) AS analyzedAtMs, r.confidence AS confidence, r.risk_score AS riskScore, r.name AS name,
    r.symbol AS symbol, ${hexText('r.creator')} AS creator, r.failed AS failed, r.summary_json AS summary, r.is_deleted AS isDeleted`,
  row: verdictRow,
  // Of each token the last row has the greatest number.
  changed: 'AND r.seq >= {from:UInt64} ORDER BY r.seq',
};

const indexedOf = (row: VerdictRow): IndexedToken => ({
  token: row.address,
  verdict: row.isDeleted === 1 ? undefined : row,
});

/** What follows the rows of `token_verdicts`. */
export const createTokenFeed = (ports: FeedPorts, thread: Pick<IndexThread, 'call'>) => {
  const moreColumns = () => ({
    columns: features.held().length === 0 ? '' : `, ${FEATURES}`,
    params: { features: features.held() },
  });
  const holder = {
    reserve: (tokens: number) => thread.call('reserve', tokens),
    load: (rows: readonly VerdictRow[]) => thread.call('load', rows.map(indexedOf)),
    seal: () => thread.call('seal', undefined),
    change: (rows: readonly VerdictRow[]) => thread.call('change', rows.map(indexedOf)),
  };
  const feed = createRowFeed(ports, VERDICTS, holder, moreColumns);
  const features = createFeatureFeed(ports, thread, feed);
  return {
    load: feed.load,
    follow: feed.follow,
    /** Resolves once the index holds these features of all tokens. */
    know: (names: readonly string[]): Promise<void> => features.know(names, feed.stored()),
  };
};
