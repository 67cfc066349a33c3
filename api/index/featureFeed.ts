import type { LimitFunction } from 'p-limit';
import type { Hex } from '../../shared/chain/block.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';
import type { FeatureValues } from './featureColumns.ts';
import type { IndexThread } from './indexThread.ts';
import type { StoredRow } from './rowFeed.ts';
import { HANDED_ROWS, rangeSql, readRanges, VERDICT_TABLE } from './rowRanges.ts';
import { isNumbers, rowSchema, STORED_FIELDS } from './rowSchema.ts';

/** The requested features that were observed; infinite values are dropped. */
export const FEATURES =
  'mapFilter((name, value) -> has({features:Array(String)}, name) AND isFinite(value), r.features) AS features';
const FEATURES_SQL = rangeSql(VERDICT_TABLE, FEATURES);
interface FeaturesRow extends StoredRow {
  readonly features: FeatureValues;
}
const featuresRow = rowSchema<FeaturesRow>({ ...STORED_FIELDS, features: isNumbers });

/**
 * Milliseconds that a search waits for features to load. Loading those of ten million tokens takes minutes and
 * continues afterwards.
 */
const WAIT_MS = 20_000;

/** Where features are read from. */
interface FeaturePorts {
  readonly database: Database;
  readonly chainId: number;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** State shared with the feed of tokens. */
interface Follower {
  readonly inTurn: LimitFunction;
  /** Version number of the last row of each recently changed token. */
  readonly applied: Map<Hex, number>;
}

/**
 * Loads features into the index when they are first requested: loading all of them would make its start several times
 * as long.
 */
export const createFeatureFeed = (
  { database, chainId, clock }: FeaturePorts,
  thread: Pick<IndexThread, 'call'>,
  { inTurn, applied }: Follower,
) => {
  let held: readonly string[] = [];
  const known = new Map<string, Promise<void>>();
  const learn = async (features: readonly string[], rows: number): Promise<void> => {
    await inTurn(async () => {
      await thread.call('hold', features);
      held = [...new Set([...held, ...features])];
      // Recently stored rows are read again, now with these features.
      applied.clear();
    });
    const ranges = readRanges(
      (range) => database.query(FEATURES_SQL, { chainId, ...range, features }, featuresRow),
      rows,
    );
    for await (const page of ranges) {
      const latest = page.filter(({ address, seq }) => seq >= (applied.get(address) ?? 0));
      const observed = latest.map((row) => ({ token: row.address, features: row.features }));
      for (const tokens of slicesOf(observed, HANDED_ROWS)) {
        await thread.call('fill', { names: features, tokens });
      }
    }
  };
  return {
    /** Features to read with changed rows. */
    held: () => held,
    /**
     * Resolves once the index holds these features.
     * @param rows that are stored
     * @throws Error after a time limit, while they are still being loaded
     */
    know: async (names: readonly string[], rows: number): Promise<void> => {
      const unknown = names.filter((name) => !known.has(name));
      if (unknown.length > 0) {
        const learnt = learn(unknown, rows);
        for (const name of unknown) known.set(name, learnt);
        learnt.catch(() => {
          for (const name of unknown) known.delete(name);
        });
      }
      const end = new AbortController();
      const late = clock.sleep(WAIT_MS, end.signal).then(() => {
        throw new Error('features are still being read');
      });
      const learnt = Promise.all(names.flatMap((name) => known.get(name) ?? []));
      await Promise.race([learnt, late]).finally(() => end.abort());
    },
  };
};
