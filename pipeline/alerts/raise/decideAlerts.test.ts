import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEDUPE_WINDOW_S } from '../../../shared/messages/settingsMessage.ts';
import { alertId, timeOfId } from '../alertId.ts';
import type { Finding } from '../rules/rule.ts';
import { CHAIN_ID, GENESIS_S, hash, POOL, TOKEN, watchItem } from '../testing/chainBuilder.ts';
import type { Candidate } from './candidate.ts';
import { type DecisionContext, decideAlerts, type StoredAlert } from './decideAlerts.ts';

const finding = (changes: Partial<Finding> = {}): Finding => ({
  type: 'rug_pull',
  token: TOKEN,
  wallets: [],
  strength: 0.8,
  severity: 'warning',
  recommendation: 'REDUCE_EXPOSURE',
  details: { pool: POOL },
  txHash: hash('tx'),
  logIndex: 3,
  ...changes,
});
const candidate = (
  afterS: number,
  changes: Partial<Finding> = {},
  watch: Candidate['watch'] = watchItem(),
  settings: Candidate['settings'] = {},
): Candidate => ({
  settings,
  finding: finding(changes),
  block: { number: afterS, hash: hash(`block ${afterS}`), timestampS: GENESIS_S + afterS },
  watch,
});
const work = (changes: Partial<DecisionContext> = {}): DecisionContext => ({
  chainId: CHAIN_ID,
  version: 0,
  nowMs: 5,
  recent: [],
  profiles: new Map(),
  alertId,
  timeOfId,
  ...changes,
});
const stored = (one: Candidate, isWithdrawn = false, version = 0): StoredAlert[] =>
  decideAlerts([one], work()).fresh.map((kept) => ({ ...kept, version, isWithdrawn }));

describe('decideAlerts', () => {
  const first = candidate(0);
  const cases: readonly (readonly [
    name: string,
    candidate: Candidate,
    recent: readonly StoredAlert[],
    fresh: number,
    send: number,
  ])[] = [
    ['a new finding', first, [], 1, 1],
    ['one already written', first, stored(first), 0, 1],
    ['one written in an earlier epoch', first, stored(first, false, -2), 0, 1],
    ['one withdrawn by a later reorg', first, stored(first, true, 1), 0, 0],
    ['a repetition in the window', candidate(DEDUPE_WINDOW_S - 1), stored(first), 0, 0],
    ['a repetition after the window', candidate(DEDUPE_WINDOW_S), stored(first), 1, 1],
    ['a worse one', candidate(1, { severity: 'critical' }), stored(first), 1, 1],
    ['a repetition of a withdrawn one', candidate(1), stored(first, true, 1), 1, 1],
    ['another pool', candidate(1, { details: { pool: TOKEN } }), stored(first), 1, 1],
    ['another item', candidate(1, {}, watchItem({ id: 42 })), stored(first), 1, 1],
    ['another rule', candidate(1, { type: 'liquidity_removed' }), stored(first), 1, 1],
  ];
  for (const [name, one, recent, fresh, send] of cases) {
    it(`writes ${fresh} and sends ${send} for ${name}`, () => {
      const settled = decideAlerts([one], work({ recent }));
      assert.deepEqual([settled.fresh.length, settled.send.length], [fresh, send]);
    });
  }

  it('raises an alert again under the version of a later epoch', () => {
    const settled = decideAlerts([first], work({ version: 4, recent: stored(first, true, 3) }));
    assert.deepEqual(
      settled.fresh.map(({ alert }) => alert.id),
      stored(first).map(({ alert }) => alert.id),
    );
  });

  it('gives alerts that hash alike ids of their own, the same at every repetition', () => {
    const clashing = (_identity: unknown, timestampS: number, attempt: number): number =>
      alertId({} as never, timestampS, attempt);
    const both = [first, candidate(0, { type: 'liquidity_removed' })];
    const { fresh } = decideAlerts(both, work({ alertId: clashing }));
    assert.equal(new Set(fresh.map(({ alert }) => alert.id)).size, 2);
    const recent = fresh.map((kept) => ({ ...kept, version: 0, isWithdrawn: false }));
    const again = decideAlerts(both, work({ alertId: clashing, recent }));
    assert.deepEqual(again, { fresh: [], send: recent });
  });

  it('calls a token without a name by its address', () => {
    const [kept] = decideAlerts([first], work()).fresh;
    assert.equal(kept?.alert.token.name, `${TOKEN.slice(0, 6)}…${TOKEN.slice(-4)}`);
  });
});

describe('alertId', () => {
  const identity = {
    family: 'fam1',
    chainId: 1,
    blockHash: hash('block'),
    logIndex: 1,
    watchId: 1,
    type: 'rug_pull',
    token: { address: TOKEN },
  } as const;

  it('is the same integer for the same ground and grows with time', () => {
    const id = alertId(identity, GENESIS_S, 0);
    assert.equal(alertId(identity, GENESIS_S, 0), id);
    assert.ok(alertId(identity, GENESIS_S + 1, 0) > id);
    assert.equal(timeOfId(id), GENESIS_S);
    assert.notEqual(alertId({ ...identity, watchId: 2 }, GENESIS_S, 0), id);
  });

  it('stays exact up to the last second it can hold', () => {
    assert.ok(Number.isSafeInteger(alertId(identity, 2 ** 31 - 1, 0)));
  });
});
