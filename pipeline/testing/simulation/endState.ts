import assert from 'node:assert/strict';
import type { Alert } from '../../../shared/messages/alertMessage.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { Ring } from '../../clusters/graph/ring.ts';
import { FACT_TABLES } from '../../scorer/ingest/factStore.ts';
import { scoreMessageId } from '../../scorer/verdict/verdictOutbox.ts';
import type { StoredVerdict } from '../../scorer/verdict/verdictStore.ts';
import { comparable, expectedAlerts } from './alertOracle.ts';
import { type Database, historyKey, neighbourKey } from './database.ts';
import { movementOf } from './fakeClusterStores.ts';
import { creationOf, holdingOf } from './fakeFactStores.ts';
import { canonicalBlocks, expectedRings } from './ringOracle.ts';
import { PRICING } from './runPipeline.ts';
import { scoreOnce } from './runScorer.ts';
import type { World } from './world.ts';

/** The values of a row as text, in a fixed order. */
const line = (row: object): string =>
  JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
const lines = (rows: readonly object[]): string[] => rows.map(line).toSorted();

/** Features computed from facts; the model's output is not one. */
const observed = (features: Readonly<Record<string, number>> = {}): Record<string, number> => {
  const { market_probability: _output, ...rest } = features;
  return rest;
};

/** For doubles that were summed in different orders. */
const RELATIVE_DIFFERENCE_MAX = 1e-9;

const assertClose = (
  actual: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, number>>,
  what: string,
): void => {
  assert.deepEqual(Object.keys(actual).toSorted(), Object.keys(expected).toSorted(), what);
  for (const [name, value] of Object.entries(expected)) {
    const difference = Math.abs((actual[name] ?? 0) - value);
    const most = RELATIVE_DIFFERENCE_MAX * Math.max(1, Math.abs(value));
    assert.ok(difference <= most, `${what} ${name}: ${actual[name]} instead of ${value}`);
  }
};

/** The compared fields of a verdict: its content follows from its time, block and features. */
const assertVerdict = (
  actual: StoredVerdict,
  expected: StoredVerdict | undefined,
  what: string,
): void => {
  assert.ok(expected, what);
  assert.equal(actual.asOfS, expected.asOfS, `${what}: time`);
  const [{ features, provenance }, wanted] = [actual.verdict.doc, expected.verdict.doc];
  assert.equal(provenance.block_hash, wanted.provenance.block_hash, `${what}: block`);
  assertClose(observed(features), observed(wanted.features), what);
};

/**
 * Facts, tokens, pools and verdicts equal those of a scorer that read the canonical chain once, and the history
 * contains no other verdicts.
 */
const assertScored = (actual: Database, expected: Database): void => {
  const rowsOf = ({ facts, tokens, pools }: Database) => ({
    facts: FACT_TABLES.flatMap((table) =>
      facts[table].final().map(({ block, fact }) => line({ ...fact, ...block })),
    ).toSorted(),
    tokens: tokens
      .final()
      .map(({ token, createdBlockHash, creator }) => [token, createdBlockHash, creator].join(' '))
      .toSorted(),
    pools: [...new Set(pools.final().map(({ pool }) => pool))].toSorted(),
  });
  assert.deepEqual(rowsOf(actual), rowsOf(expected));
  const inForce = new Map(expected.tokenVerdicts.final().map((row) => [row.token, row]));
  const rows = actual.tokenVerdicts.final();
  assert.equal(rows.length, inForce.size, 'tokens with a verdict');
  for (const row of rows) assertVerdict(row, inForce.get(row.token), `verdict on ${row.token}`);
  const history = new Map(expected.verdictHistory.final().map((row) => [historyKey(row), row]));
  const past = actual.verdictHistory.final();
  for (const row of past) {
    assertVerdict(row, history.get(historyKey(row)), `history of ${historyKey(row)}`);
  }
  const horizons = (some: readonly StoredVerdict[]): string[] =>
    some
      .filter(({ horizonS }) => horizonS > 0)
      .map(historyKey)
      .toSorted();
  assert.deepEqual(horizons(past), horizons([...history.values()]), 'horizons');
};

/**
 * Subscribers received every change of prediction, in order and once: each message continues from the last one on the
 * token, and the last one states the verdict in force.
 */
const assertPublished = ({ database, scores }: World): void => {
  const published = new Map<string, ScoreMessage>();
  const ids = new Set<string>();
  for (const message of scores.messages) {
    const { token, prediction, previousPrediction } = message;
    const what = `${token} at ${message.blockNumber}, ${prediction}`;
    const id = scoreMessageId(message);
    assert.ok(!ids.has(id), `published twice: ${what}`);
    ids.add(id);
    // A token that a reorg removed starts over.
    const known = previousPrediction && published.get(token)?.prediction;
    assert.equal(previousPrediction ?? undefined, known ?? undefined, `before ${what}`);
    published.set(token, message);
  }
  for (const { token, verdict } of database.tokenVerdicts.final()) {
    assert.equal(
      published.get(token)?.prediction,
      verdict.prediction,
      `published last of ${token}`,
    );
  }
};

const assertAlerts = async (world: World, steady: number): Promise<void> => {
  const { programme, database, watchlists } = world;
  const blocks = canonicalBlocks(programme.chain);
  const items = watchlists.everyItem();
  const isSteady = ({ id }: { readonly id: number }): boolean => id < steady;
  const stored = database.alerts.final().map(({ alert }) => comparable(alert));
  const due = await expectedAlerts(blocks, items.filter(isSteady), PRICING);
  const ofSteady = stored.filter(({ watchId }) => watchId < steady);
  assert.deepEqual(lines(ofSteady), lines(due), 'alerts of items that were always watched');
  // Other items were added or removed while the chain was read: what they received must be true, no more is known.
  const possible = new Set(lines(await expectedAlerts(blocks, items, PRICING, true)));
  for (const line of lines(stored)) assert.ok(possible.has(line), `received ${line}`);
};

/**
 * A subscriber to the messages of items that were always watched has their alerts; repetitions have the same id.
 */
const assertAlertMessages = ({ database, alertMessages }: World, steady: number): void => {
  const idsOf = (alerts: readonly Alert[]): number[] =>
    alerts.flatMap(({ id, watchId }) => (watchId < steady ? [id] : [])).toSorted((a, b) => a - b);
  const held = new Map<number, Alert>();
  for (const { state, alert } of new Map(alertMessages.map((one) => [one.eventId, one])).values()) {
    if (state === 'raised') held.set(alert.id, alert);
    else held.delete(alert.id);
  }
  const stored = database.alerts.final().map(({ alert }) => alert);
  assert.deepEqual(idsOf([...held.values()]), idsOf(stored), 'alerts as a listener holds them');
};

/** A ring without its id, which depends on its history. */
const ringLine = (
  ring: Pick<Ring, 'evidence'> & {
    readonly members: readonly { readonly wallet: string; readonly role: string }[];
  },
  tokens: number,
  scams: number,
): string => {
  const members = ring.members.map(
    ({ wallet, role }) => `${wallet} ${role === 'master' ? 'master' : 'puppet'}`,
  );
  const links = ring.evidence.map(({ rule, from, to, tx }) => [rule, from, to, tx].join(' '));
  return JSON.stringify([members.toSorted(), links.toSorted(), tokens, scams]);
};

/** The neighbours of an address are exactly those implied by tokens, pools and graph facts. */
const assertNeighbours = ({ database }: World): void => {
  const implied = [
    ...database.tokens.final().map(creationOf),
    ...database.pools.final().map(holdingOf),
    ...database.graphFacts.final().map(movementOf),
  ];
  const stored = database.neighbours.final();
  assert.deepEqual(
    stored.map(neighbourKey).toSorted(),
    implied.map(neighbourKey).toSorted(),
    'neighbours',
  );
};

const assertRings = async (world: World): Promise<void> => {
  const { database } = world;
  const { graphs, rings } = await expectedRings(world);
  const factLines = (block: { hash: string }, facts: readonly object[]): string[] =>
    facts.map((fact) => `${block.hash} ${Object.entries(fact).map(String).toSorted().join()}`);
  assert.deepEqual(
    database.graphFacts
      .final()
      .flatMap(({ block, fact }) => factLines(block, [fact]))
      .toSorted(),
    graphs.flatMap((graph) => factLines(graph, graph.facts)).toSorted(),
    'graph facts',
  );
  const living = database.rings.final().filter(({ mergedInto }) => mergedInto === '');
  const stored = living.map((ring) => ringLine(ring, ring.tokensCreated, ring.scams));
  const wanted = rings.map((ring) => ringLine(ring, ring.tokens.length, ring.statistics.scams));
  assert.deepEqual(stored.toSorted(), wanted.toSorted(), 'rings');
  assert.deepEqual(
    database.rings
      .final()
      .flatMap(({ id, members }) => members.map(({ wallet }) => `${wallet} ${id}`))
      .toSorted(),
    database.wallets
      .final()
      .flatMap(({ wallet, clusterId }) => (clusterId === '' ? [] : [`${wallet} ${clusterId}`]))
      .toSorted(),
    'rings of wallets',
  );
};

/**
 * Compares everything stored with what follows from the canonical chain.
 * @param steady items below this id were watched all the time.
 */
export const assertEndState = async (world: World, steady: number): Promise<void> => {
  assertScored(world.database, await scoreOnce(world));
  assertPublished(world);
  await assertAlerts(world, steady);
  assertAlertMessages(world, steady);
  assertNeighbours(world);
  await assertRings(world);
};
