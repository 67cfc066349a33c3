import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from 'nats';
import { connectNats } from '../../shared/adapters/nats.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { silentLogger } from '../../shared/runtime/logger.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { type Service, startNats } from '../../shared/testing/services.ts';
import { createJudgeHelpers } from './judgeHelpers.ts';
import { createSharedJudge } from './sharedJudge.ts';
import type { ScoringRequest, TokenJudge } from './tokenScorer.ts';

const CHAIN_ID = 1;
const STORED = { number: 9, timestampS: 9 };
/** What a token costs that a judge has to ask a node about, milliseconds. */
const TOKEN_MS = 20;
const TOKENS = 100;
/** Two that share perfectly do half each. */
const HELPED_MIN = TOKENS / 4;
const WAIT_MS_MAX = 120_000;

const requests: ScoringRequest[] = Array.from({ length: TOKENS }, (_, index) => ({
  token: `0x${index.toString(16).padStart(40, '0')}` as Hex,
  position: index,
}));

describe('scorers that judge for one another, on real NATS', () => {
  let nats: Service;
  const connections: NatsConnection[] = [];
  const stops: AbortController[] = [];
  before(async () => {
    nats = await startNats();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop.abort();
    await Promise.all(connections.splice(0).map((connection) => connection.close()));
  });
  after(() => nats.stop());

  /** One scorer, whose judge waits for a node. */
  const scorer = async (release = 'same') => {
    const connection = await connectNats(nats.url, 'test');
    connections.push(connection);
    const parts = { connection, chainId: CHAIN_ID, release, clock: systemClock };
    const helpers = createJudgeHelpers({ ...parts, logger: silentLogger });
    const judged: Hex[] = [];
    const local: TokenJudge = async (_, asked) => {
      for (const { token } of asked) {
        await sleep(TOKEN_MS);
        judged.push(token);
      }
      const gone = asked.map(({ token, position }) => ({ token, position }));
      return { verdicts: [], judgements: [], gone, messages: [], transfers: new Map() };
    };
    const stop = new AbortController();
    stops.push(stop);
    helpers.serve(() => local, stop.signal).catch(() => undefined);
    const others = () => helpers.others();
    const judge = createSharedJudge({
      local,
      helpers: others,
      isLive: () => true,
      logger: silentLogger,
    });
    return { connection, judged, others, judge };
  };
  const meeting = async (one: Awaited<ReturnType<typeof scorer>>): Promise<void> => {
    await until('the other is there', () => one.others().length > 0 || undefined, WAIT_MS_MAX);
  };
  const timed = async (judge: TokenJudge): Promise<number> => {
    const startMs = performance.now();
    const { gone } = await judge(CHAIN_ID, requests, STORED);
    assert.deepEqual(
      gone.map(({ token }) => token).toSorted(),
      requests.map(({ token }) => token),
      'every token once',
    );
    return performance.now() - startMs;
  };

  it('share the work', async (context) => {
    const leader = await scorer();
    const aloneMs = await timed(leader.judge);
    const helper = await scorer();
    await meeting(leader);
    const togetherMs = await timed(leader.judge);
    assert.ok(helper.judged.length >= HELPED_MIN, `only ${helper.judged.length} judged by it`);
    const speedUp = aloneMs / togetherMs;
    context.diagnostic(`one ${Math.round(aloneMs)} ms, two ${Math.round(togetherMs)} ms`);
    context.diagnostic(`two scorers do ${speedUp.toFixed(2)} of what one does`);
  });

  it('lose nothing when one of them goes away in the middle of its work', async () => {
    const leader = await scorer();
    const helper = await scorer();
    await meeting(leader);
    const judging = timed(leader.judge);
    await until('the helper works', () => helper.judged.length > 0 || undefined, WAIT_MS_MAX);
    await helper.connection.close();
    await judging;
    assert.ok(leader.judged.length + helper.judged.length > TOKENS, 'part of the work was redone');
  });

  it('do not help one of another release', async () => {
    const leader = await scorer();
    const other = await scorer('another');
    const same = await scorer();
    await meeting(leader);
    await timed(leader.judge);
    assert.deepEqual(other.judged, []);
    assert.ok(same.judged.length > 0);
  });
});
