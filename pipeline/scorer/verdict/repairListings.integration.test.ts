import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { verdictDocSchema } from '../../../shared/messages/verdictDoc.ts';
import { type Clickhouse, createClickhouse } from '../../../shared/platform/clickhouse.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { startMigratedClickhouse } from '../../../shared/testing/migratedClickhouse.ts';
import type { Service } from '../../../shared/testing/services.ts';
import { impliedListings, storedListings } from '../../testing/chaos/storedState.ts';
import { createVerdictStore, type StoredVerdict, type VerdictStore } from './verdictStore.ts';

const CHAIN_ID = 7;
const GOLDEN = join(projectRoot(), 'shared/messages/golden/verdictDoc.v1.r1.json');
const doc = verdictDocSchema.parse(JSON.parse(readFileSync(GOLDEN, 'utf8')).messages[0]);
const tokenOf = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;
const [A, B] = [tokenOf(1), tokenOf(2)];
/** Those that write what follows from a verdict; a crash may come before any of them. */
const VIEWS = ['token_sort_index_view', 'token_totals_view'];

/** The verdict on a token at a position: everything that lists show differs from one to the next. */
const verdictAt = (token: Hex, position: number): StoredVerdict => ({
  chainId: CHAIN_ID,
  token,
  name: `Token ${position}`,
  symbol: `T${position}`,
  creator: tokenOf(9),
  createdAtS: 1_700_000_000,
  analyzedAtMs: 1_700_000_000_000 + position,
  position,
  horizonS: 0,
  asOfS: 1_700_000_000 + position,
  isInForce: true,
  holders: [],
  verdict: {
    prediction: position % 2 === 0 ? 'SCAM' : 'LEGIT',
    probability: 0.5,
    margin: 0,
    baseValue: 0,
    contributions: {},
    confidence: 0.5 + position / 100,
    riskScore: 10 + position,
    doc: {
      ...doc,
      checks: doc.checks.map((check, i) => ({
        ...check,
        status: (i + position) % 2 === 0 ? ('fail' as const) : ('pass' as const),
      })),
    },
  },
});

describe('what lists read after an insert was cut off', () => {
  let server: Service | undefined;
  let clickhouse: Clickhouse;
  let position = 0;

  before(async () => {
    const started = await startMigratedClickhouse();
    server = started;
    clickhouse = createClickhouse({ url: started.url });
  });
  after(async () => {
    await clickhouse?.close();
    await server?.stop();
  });

  /** As if a crash came before these views had written anything. */
  const cutOff = async (views: readonly string[], write: () => Promise<void>): Promise<void> => {
    for (const view of views) await clickhouse.exec(`DETACH TABLE ${view}`);
    await write();
    for (const view of views) await clickhouse.exec(`ATTACH TABLE ${view}`);
  };
  const assertWhole = async (): Promise<void> =>
    assert.deepEqual(await storedListings(clickhouse), await impliedListings(clickhouse));
  /** Stores verdicts as a scorer does, after a look at what they replace. */
  const insert = async (store: VerdictStore, verdicts: readonly StoredVerdict[]): Promise<void> => {
    const tokens = verdicts.map(({ token }) => token);
    await store.insert(verdicts, [], await store.last(CHAIN_ID, tokens));
  };
  const write = (token: Hex): StoredVerdict[] => {
    position += 1;
    return [verdictAt(token, position)];
  };

  for (const cut of [...VIEWS.map((view) => [view]), VIEWS]) {
    it(`is whole with the next verdict of a new scorer, cut off before ${cut.join(', ')}`, async () => {
      const store = createVerdictStore(clickhouse);
      await insert(store, [...write(A), ...write(B)]);
      await assertWhole();
      await cutOff(cut, () => insert(store, write(A)));
      assert.notDeepEqual(await storedListings(clickhouse), await impliedListings(clickhouse));
      await insert(createVerdictStore(clickhouse), write(B));
      await assertWhole();
      // The token itself moves on from where it is.
      await insert(store, write(A));
      await assertWhole();
    });
  }

  it('repairs after an insert that failed, before it is tried again', async () => {
    let failure: Error | undefined;
    const failing: Clickhouse = {
      ...clickhouse,
      insertBinary: async (table, columns, rows) => {
        await clickhouse.insertBinary(table, columns, rows);
        if (failure && table === 'token_verdicts') throw failure;
      },
    };
    const store = createVerdictStore(failing);
    await insert(store, write(A));
    failure = new Error('the connection is lost');
    const verdict = write(A);
    await cutOff(VIEWS, () => assert.rejects(insert(store, verdict), failure));
    failure = undefined;
    await insert(store, verdict);
    await assertWhole();
  });

  it('takes a token out of all lists whose tombstone was cut off', async () => {
    const store = createVerdictStore(clickhouse);
    await insert(store, write(A));
    position += 1;
    await cutOff(VIEWS, () => store.insertTombstones(CHAIN_ID, [A], position));
    await createVerdictStore(clickhouse).insertTombstones(CHAIN_ID, [A], position);
    await assertWhole();
    await insert(store, write(A));
    await assertWhole();
  });

  it('changes nothing where nothing was cut off', async () => {
    await insert(createVerdictStore(clickhouse), write(A));
    const before = await storedListings(clickhouse);
    await createVerdictStore(clickhouse).insertTombstones(CHAIN_ID, [tokenOf(3)], position);
    assert.deepEqual(await storedListings(clickhouse), before);
    await assertWhole();
  });
});
