import { hexText } from '../../shared/rules/hexText.ts';
import { createFeatureFeed, FEATURES } from './featureFeed.ts';
import type { IndexThread } from './indexThread.ts';
import type { IndexedToken, IndexedVerdict } from './openIndex.ts';
import { createRowFeed, type FeedPorts, type FollowedTable, type StoredRow } from './rowFeed.ts';
import { VERDICT_TABLE } from './rowRanges.ts';
import {
  isAddress,
  isCount,
  isNumber,
  isNumbers,
  isText,
  isTexts,
  rowSchema,
  STORED_FIELDS,
} from './rowSchema.ts';

interface VerdictRow extends StoredRow, IndexedVerdict {
  readonly isDeleted: number;
}
const verdictRow = rowSchema<VerdictRow>({
  ...STORED_FIELDS,
  isScam: isNumber,
  percent: isNumber,
  risk: isNumber,
  createdAtS: isCount,
  analyzedAtMs: isCount,
  confidence: isNumber,
  riskScore: isNumber,
  name: isText,
  symbol: isText,
  creator: isAddress,
  failed: isTexts,
  summary: isText,
  isDeleted: isNumber,
  features: (value) => value === undefined || isNumbers(value),
});

const VERDICTS: FollowedTable<VerdictRow> = {
  ...VERDICT_TABLE,
  columns: `r.is_scam AS isScam, r.percent AS percent, r.risk AS risk, toUnixTimestamp(r.created_at) AS createdAtS,
    toUnixTimestamp64Milli(r.analyzed_at) AS analyzedAtMs, r.confidence AS confidence, r.risk_score AS riskScore, r.name AS name,
    r.symbol AS symbol, ${hexText('r.creator')} AS creator, r.failed AS failed, r.summary_json AS summary, r.is_deleted AS isDeleted`,
  row: verdictRow,
  // The last row of each token has the greatest number.
  changed: 'AND r.seq >= {from:UInt64} ORDER BY r.seq',
};

const indexedOf = (row: VerdictRow): IndexedToken => ({
  token: row.address,
  verdict: row.isDeleted === 1 ? undefined : row,
});

/** The feed of `token_verdicts`. */
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
