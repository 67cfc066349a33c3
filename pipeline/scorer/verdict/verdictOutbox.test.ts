import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import { scoreSubject } from '../../../shared/messages/subjects.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { sampleScore } from '../../../shared/testing/samples.ts';
import {
  createVerdictOutbox,
  isAtHead,
  isRecent,
  PUBLISH_AGE_MS_MAX,
  type PublishOutcome,
  scoreMessageId,
  type VerdictOutbox,
} from './verdictOutbox.ts';

const CHAIN_ID = 1;
const START_MS = 1_700_000_000_000;
const TOKENS = ['0xa', '0xb', '0xc'] as const;
type Token = (typeof TOKENS)[number];

const messageOf = (
  token: Token,
  analyzedAtMs: number,
  previous: ScoreMessage | undefined,
): ScoreMessage =>
  sampleScore({
    token,
    prediction: previous?.prediction === 'SCAM' ? 'LEGIT' : 'SCAM',
    previousPrediction: previous?.prediction ?? null,
    previousConfidence: previous?.confidence ?? null,
    previousRiskScore: previous?.riskScore ?? null,
    analyzedAtMs,
  });

/** What outlives processes: verdicts in force, the stream, and the time. */
const createWorld = () => ({
  inForce: new Map<string, ScoreMessage>(),
  /** Of them those that are news. */
  pending: new Map<string, ScoreMessage>(),
  published: [] as ScoreMessage[],
  nowMs: START_MS,
  counts: {} as Partial<Record<PublishOutcome, number>>,
});
type World = ReturnType<typeof createWorld>;

class Killed extends Error {}

/** How a process ends: before or after the effect of the step with this number. */
interface End {
  readonly step: number;
  readonly isAfter: boolean;
  readonly error: () => Error;
}

/** One process: an outbox whose every effect is a step, of which one may fail; killed by it, the process has no other. */
const start = (world: World, end?: End, isRecent = true) => {
  let steps = 0;
  let isDead = false;
  const step = <T>(effect: () => T): Promise<T> => {
    if (isDead) return Promise.reject(new Killed());
    steps += 1;
    const isLast = steps === end?.step;
    isDead = isLast && end.error() instanceof Killed;
    if (isLast && !end.isAfter) return Promise.reject(end.error());
    const result = effect();
    return isLast ? Promise.reject(end.error()) : Promise.resolve(result);
  };
  const outbox = createVerdictOutbox({
    chainId: CHAIN_ID,
    verdicts: {
      unpublished: (_chainId, sinceMs) =>
        step(() => [...world.pending.values()].filter((one) => one.analyzedAtMs >= sinceMs)),
    },
    log: {
      replay: async function* ({ fromMs }) {
        const published = await step(() =>
          world.published.filter((one) => one.analyzedAtMs >= fromMs),
        );
        yield* published.map((message, seq) => {
          const subject = scoreSubject(CHAIN_ID, message.token);
          return { seq, subject, data: new Uint8Array(), messageId: scoreMessageId(message) };
        });
      },
    },
    publish: async (_subject, message) => {
      await step(() => world.published.push(message as ScoreMessage));
    },
    isRecent: () => isRecent,
    count: (outcome, verdicts) => {
      world.counts[outcome] = (world.counts[outcome] ?? 0) + verdicts;
    },
    clock: { now: () => world.nowMs },
    logger: silentLogger,
  });
  return { outbox, step, steps: () => steps };
};

/** Judges all tokens, each of which turns, stores and publishes: what the scorer does in a round. */
const round = async (
  world: World,
  { outbox, step }: { outbox: VerdictOutbox; step: (effect: () => unknown) => Promise<unknown> },
): Promise<void> => {
  await outbox.flush();
  world.nowMs += 1_000;
  const made = TOKENS.map((token) => messageOf(token, world.nowMs, world.inForce.get(token)));
  await outbox.publish(made, async (news) => {
    await step(() => {
      for (const message of made) {
        world.inForce.set(message.token, message);
        world.pending.delete(message.token);
      }
      for (const message of news) world.pending.set(message.token, message);
    });
  });
};

/** Each message on a token goes on where the one before left off, none came twice, and the last is in force. */
const assertPublishedOnce = ({ published, inForce }: World, end?: End): void => {
  const when = end ? `${end.isAfter ? 'after' : 'before'} step ${end.step}` : 'at last';
  assert.equal(
    new Set(published.map(scoreMessageId)).size,
    published.length,
    `published twice ${when}`,
  );
  for (const token of TOKENS) {
    const own = published.filter((message) => message.token === token);
    own.forEach(({ previousPrediction }, i) => {
      assert.equal(
        previousPrediction,
        own[i - 1]?.prediction ?? null,
        `turn ${i} of ${token} ${when}`,
      );
    });
    assert.deepEqual(own.at(-1), inForce.get(token), when);
  }
};

/** More than the steps of two rounds. */
const STEPS_MAX = 12;
const ends = (error: () => Error): End[] =>
  Array.from({ length: STEPS_MAX }, (_, i) => [
    { step: i + 1, isAfter: false, error },
    { step: i + 1, isAfter: true, error },
  ]).flat();
const killed = (): Error => new Killed();
const away = (): Error => new RetryableError('away');
const untilKilled = (life: () => Promise<void>): Promise<void> =>
  life().catch((error: unknown) => assert.ok(error instanceof Killed));

describe('createVerdictOutbox', () => {
  it('publishes every turn once, in order, wherever processes are killed', async () => {
    for (const end of ends(killed)) {
      const world = createWorld();
      const mortal = start(world, end);
      await untilKilled(() => round(world, mortal).then(() => round(world, mortal)));
      await untilKilled(() => round(world, start(world, end)));
      const last = start(world);
      await last.outbox.flush();
      assertPublishedOnce(world, end);
      await round(world, last);
      assertPublishedOnce(world, end);
    }
  });

  it('publishes every turn once, in order, whatever is away', async () => {
    for (const end of ends(away)) {
      const world = createWorld();
      const process = start(world, end);
      for (let i = 0; i < 4; i += 1) await round(world, process).catch(() => undefined);
      await process.outbox.flush();
      assertPublishedOnce(world, end);
    }
  });

  it('publishes nothing of verdicts of the past, whoever dies', async () => {
    const world = createWorld();
    await round(world, start(world, undefined, false));
    await start(world).outbox.flush();
    assert.deepEqual(world.published, []);
    assert.deepEqual(world.counts, { past: TOKENS.length });
  });

  it('publishes nothing that has waited for too long', async () => {
    const world = createWorld();
    // Dies when the first of three is published.
    const mortal = start(world, { step: 3, isAfter: true, error: killed });
    await assert.rejects(round(world, mortal), Killed);
    assert.equal(world.published.length, 1);
    world.nowMs += PUBLISH_AGE_MS_MAX + 1;
    await start(world).outbox.flush();
    assert.equal(world.published.length, 1);
  });

  it('looks at what is left once, while nothing goes wrong', async () => {
    const world = createWorld();
    const process = start(world);
    await round(world, process);
    const before = process.steps();
    await round(world, process);
    assert.equal(process.steps() - before, 1 + TOKENS.length);
    assert.deepEqual(world.counts, { published: 2 * TOKENS.length });
    assertPublishedOnce(world);
  });
});

describe('isRecent', () => {
  it('is true of facts near the head that were read a moment ago', () => {
    assert.ok(isRecent({ lagBlocks: 0, lateMs: 0 }));
    assert.ok(isRecent({ lagBlocks: 32, lateMs: PUBLISH_AGE_MS_MAX }));
  });

  it('is false of facts that the chain has long left behind', () => {
    assert.ok(!isRecent({ lagBlocks: 33, lateMs: 0 }));
    assert.ok(!isAtHead({ lagBlocks: 33, lateMs: 0 }));
  });

  it('is false of facts that waited in the stream for too long, though they were at the head', () => {
    const lag = { lagBlocks: 0, lateMs: PUBLISH_AGE_MS_MAX + 1 };
    assert.ok(!isRecent(lag));
    assert.ok(isAtHead(lag));
  });
});
