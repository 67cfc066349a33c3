import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { verdictDocSchema } from '../../../shared/messages/verdictDoc.ts';
import { type Clickhouse, createClickhouse } from '../../../shared/platform/clickhouse.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { fillLists, LIST_TABLES } from '../../../shared/platform/tokenLists.ts';
import { startMigratedClickhouse } from '../../../shared/testing/migratedClickhouse.ts';
import type { Service } from '../../../shared/testing/services.ts';
import { impliedListings, storedListings } from '../../testing/chaos/storedState.ts';
import { createVerdictStore, type StoredVerdict, type VerdictStore } from './verdictStore.ts';

const CHAIN_ID = 7;
const GOLDEN = join(projectRoot(), 'shared/messages/golden/verdictDoc.v1.r1.json');
const doc = verdictDocSchema.parse(JSON.parse(readFileSync(GOLDEN, 'utf8')).messages[0]);
const tokenOf = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;
const [A, B] = [tokenOf(1), tokenOf(2)];
/** Letters that fold, and such as JSON escapes: the engine must agree on both. */
const WORDS = ['ＵＳＤТ', 'İstanbul ΣΑΣ', 'Ж "quoted" \\ back', 'плюс 币安', 'ŮŚĎŢ\n'];

/** The verdict on a token at a position: everything that lists show differs from one to the next. */
const verdictAt = (token: Hex, position: number): StoredVerdict => ({
  chainId: CHAIN_ID,
  token,
  name: `${WORDS[position % WORDS.length]} ${position}`,
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

describe('lists', () => {
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

  /** A store that knows that lists are complete, and whose writes to some tables fail once it is cut off. */
  const storeToCut = async () => {
    let lost: readonly string[] = [];
    const store = createVerdictStore({
      ...clickhouse,
      insertBinary: async (table, columns, rows) => {
        if (lost.includes(table)) throw new Error('the connection is lost');
        await clickhouse.insertBinary(table, columns, rows);
      },
    });
    await insert(store, [...write(A), ...write(B)]);
    await assertComplete();
    const cutOff = async (tables: readonly string[], work: () => Promise<void>): Promise<void> => {
      lost = tables;
      await assert.rejects(work(), /is lost/);
      lost = [];
      assert.notDeepEqual(await storedListings(clickhouse), await impliedListings(clickhouse));
    };
    return { store, cutOff };
  };
  const assertComplete = async (): Promise<void> =>
    assert.deepEqual(await storedListings(clickhouse), await impliedListings(clickhouse));
  /** Stores verdicts as a scorer does, after a look at what they replace. */
  const insert = async (store: VerdictStore, verdicts: readonly StoredVerdict[]): Promise<void> => {
    const tokens = verdicts.map(({ token }) => token);
    await store.insert(verdicts, [], await store.last(CHAIN_ID, tokens));
    await store.updateLists(CHAIN_ID);
  };
  const write = (token: Hex): StoredVerdict[] => {
    position += 1;
    return [verdictAt(token, position)];
  };

  for (const cut of [...LIST_TABLES.map((table) => [table]), LIST_TABLES]) {
    it(`are complete after the next verdict of a new scorer, cut off before ${cut.join(', ')}`, async () => {
      const { store, cutOff } = await storeToCut();
      await cutOff(cut, () => insert(store, write(A)));
      const next = createVerdictStore(clickhouse);
      await insert(next, write(B));
      await assertComplete();
      // The token itself moves on from where it is.
      await insert(next, write(A));
      await assertComplete();
    });
  }

  it('are complete after the next verdict of the same scorer, cut off before its lists', async () => {
    const { store, cutOff } = await storeToCut();
    const verdict = write(A);
    await cutOff(LIST_TABLES, () => insert(store, verdict));
    await insert(store, verdict);
    await assertComplete();
  });

  it('lack a token whose tombstone was cut off before its lists', async () => {
    const { store, cutOff } = await storeToCut();
    position += 1;
    await cutOff(LIST_TABLES, () => store.insertTombstones(CHAIN_ID, [A], position));
    const next = createVerdictStore(clickhouse);
    await next.insertTombstones(CHAIN_ID, [A], position);
    await assertComplete();
    await next.insertTombstones(CHAIN_ID, [A], position);
    await assertComplete();
    await insert(next, write(A));
    await assertComplete();
  });

  it('are complete after a scorer that ended between a verdict and its lists', async () => {
    const store = createVerdictStore(clickhouse);
    await store.insert([...write(A), ...write(B)], [], await store.last(CHAIN_ID, [A, B]));
    const next = createVerdictStore(clickhouse);
    await insert(next, write(A));
    await assertComplete();
  });

  it('are complete with a verdict whose insert failed after it had come through', async () => {
    let failure: Error | undefined;
    const store = createVerdictStore({
      ...clickhouse,
      insertBinary: async (table, columns, rows) => {
        await clickhouse.insertBinary(table, columns, rows);
        if (failure && table === 'token_verdicts') throw failure;
      },
    });
    await insert(store, write(A));
    failure = new Error('the connection is lost');
    const verdict = write(A);
    await assert.rejects(insert(store, verdict), failure);
    failure = undefined;
    await insert(store, verdict);
    await assertComplete();
  });

  it('are complete after the next verdict of a new scorer, where all that was written before was lost', async () => {
    const store = createVerdictStore(clickhouse);
    const { name, symbol } = verdictAt(A, position);
    for (const token of [A, B, A, B]) {
      await insert(
        store,
        write(token).map((verdict) => ({ ...verdict, name, symbol })),
      );
    }
    for (const table of LIST_TABLES) await clickhouse.exec(`TRUNCATE TABLE ${table}`);
    await insert(createVerdictStore(clickhouse), write(A));
    await assertComplete();
  });

  it('are filled from verdicts as they were', async () => {
    await insert(createVerdictStore(clickhouse), [...write(A), ...write(B)]);
    const before = await storedListings(clickhouse);
    for (const table of LIST_TABLES) await clickhouse.exec(`TRUNCATE TABLE ${table}`);
    await fillLists(clickhouse);
    assert.deepEqual(await storedListings(clickhouse), before);
  });

  it('stay as they are where nothing was cut off', async () => {
    await insert(createVerdictStore(clickhouse), write(A));
    const before = await storedListings(clickhouse);
    await createVerdictStore(clickhouse).insertTombstones(CHAIN_ID, [tokenOf(3)], position);
    assert.deepEqual(await storedListings(clickhouse), before);
    await assertComplete();
  });
});
