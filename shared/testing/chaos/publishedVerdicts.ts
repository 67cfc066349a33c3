import assert from 'node:assert/strict';
import { scoreMessageId } from '../../../pipeline/scorer/verdict/eventPublisher.ts';
import { isAtHead } from '../../../pipeline/scorer/verdict/verdictOutbox.ts';
import { createVerdictStore } from '../../../pipeline/scorer/verdict/verdictStore.ts';
import type { Hex } from '../../chain/block.ts';
import { decodeChainEvent } from '../../messages/chainMessage.ts';
import { type ScoreMessage, scoreMessageSchema } from '../../messages/scoreMessage.ts';
import { chainStream } from '../../messages/subjects.ts';
import { type LiveStack, STACK_CHAIN_ID } from './liveStack.ts';
import { type StreamEntry, streamEntries } from './streamEntries.ts';

/** Facts are handled this long after they were read from the node at the most, outages included. */
const HANDLED_MS_MAX = 120_000;

/** When facts were read that the chain had left behind: verdicts on them are stored, and nobody is told. */
const timesOfPast = (entries: readonly StreamEntry[]): number[] =>
  entries.flatMap(({ data }) => {
    const event = decodeChainEvent(data);
    if (event.kind !== 'blocks') return [];
    const { head, from, readAtMs } = event;
    return isAtHead({ lagBlocks: head - (from - 1), lateMs: 0 }) ? [] : [readAtMs];
  });

/** Each goes on where the last one on its token left off, but for verdicts of the past in between. */
const assertContinuous = (told: readonly ScoreMessage[], pastMs: readonly number[]): void => {
  const last = new Map<Hex, ScoreMessage>();
  for (const message of told) {
    const { token, previousPrediction, analyzedAtMs } = message;
    const before = last.get(token);
    last.set(token, message);
    // A token that a reorg took back begins anew.
    if (previousPrediction === null || previousPrediction === before?.prediction) continue;
    const sinceMs = (before?.analyzedAtMs ?? 0) - HANDLED_MS_MAX;
    const isExcused = pastMs.some((atMs) => atMs >= sinceMs && atMs <= analyzedAtMs);
    assert.ok(isExcused, `a turn of ${token} was never told, before ${analyzedAtMs}`);
  }
};

/**
 * Whoever listened has heard of every verdict that there was to tell of, each once and in order.
 * @returns verdicts told
 */
export const assertPublishedOnce = async (
  { clickhouse, nats }: LiveStack,
  events: readonly StreamEntry[],
): Promise<number> => {
  const told = events
    .filter(({ subject }) => subject.startsWith(`score.${STACK_CHAIN_ID}.`))
    .map(({ data }) => scoreMessageSchema.parse(JSON.parse(Buffer.from(data).toString())));
  const ids = new Set(told.map(scoreMessageId));
  assert.equal(ids.size, told.length, 'verdicts told twice');
  const inForce = await createVerdictStore(clickhouse).unpublished(STACK_CHAIN_ID, 0);
  const untold = inForce.filter((message) => !ids.has(scoreMessageId(message)));
  assert.deepEqual(untold, [], 'verdicts in force that nobody was told of');
  assertContinuous(told, timesOfPast(await streamEntries(nats, chainStream(STACK_CHAIN_ID))));
  return told.length;
};
