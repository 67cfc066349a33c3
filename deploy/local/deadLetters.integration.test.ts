import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { DeliverPolicy, type JsMsg } from 'nats';
import { DEAD_LETTER_STREAM, EVENTS_STREAM } from '../../shared/messages/subjects.ts';
import {
  createPublish,
  createPublishDeadLetter,
  isReplay,
  messageIdOf,
  type PublishDeadLetter,
} from '../../shared/platform/publish.ts';
import { startStreams } from '../../shared/testing/stores.ts';
import {
  createDeadLetters,
  type DeadLetters,
  deleteDeadLetters,
  listDeadLetters,
  replayDeadLetters,
  showDeadLetter,
} from './deadLetters.ts';

const SCORE = 'score.1.0x00';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const { connection, stop } = await startStreams([1]);
after(stop);

describe('dead letters', { timeout: 120_000 }, () => {
  let letters: DeadLetters;
  let deadLetter: PublishDeadLetter;
  const counted: string[] = [];
  const said: string[] = [];

  before(async () => {
    letters = createDeadLetters(connection);
    const meter = { count: (kind: string) => counted.push(kind) };
    deadLetter = createPublishDeadLetter(createPublish(connection), 'push', meter);
  });
  beforeEach(async () => {
    const jsm = await connection.jetstreamManager();
    await jsm.streams.purge(DEAD_LETTER_STREAM);
    await jsm.streams.purge(EVENTS_STREAM);
    counted.length = 0;
    said.length = 0;
  });

  let seq = 0;
  /** A message as the stream delivers it. */
  const delivered = (subject: string, data: string | Uint8Array, messageId?: string) => ({
    subject,
    data: typeof data === 'string' ? bytes(data) : data,
    messageId,
    seq: ++seq,
  });
  const replay = (environment: Record<string, string> = {}): Promise<string> =>
    replayDeadLetters(letters, environment, (line) => said.push(line));
  const events = async (): Promise<JsMsg[]> => {
    const jsm = await connection.jetstreamManager();
    const { state } = await jsm.streams.info(EVENTS_STREAM);
    if (state.messages === 0) return [];
    const consumer = await connection.jetstream().consumers.get(EVENTS_STREAM, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: state.first_seq,
    });
    const found: JsMsg[] = [];
    for await (const message of await consumer.fetch({ max_messages: state.messages })) {
      found.push(message);
    }
    return found;
  };
  const ids = async (): Promise<number[]> => (await letters.list(1, 1_000)).map(({ id }) => id);

  it('are counted, listed and shown', async () => {
    assert.equal(await listDeadLetters(letters, {}), 'no dead letters');
    await deadLetter(delivered(SCORE, '{no json', 'listed'), 'not\n\u001b[31mJSON');
    await deadLetter(delivered('jobs.analyze.1', new Uint8Array([0, 255])), 'no job');
    assert.deepEqual(counted, ['score', 'jobs']);
    const [first = 0, second = 0] = await ids();
    const table = await listDeadLetters(letters, {});
    assert.match(table, new RegExp(`${first}  .*  ${SCORE} .* push  8 B   not \\[31mJSON`));
    assert.match(await listDeadLetters(letters, { FROM: String(second) }), /jobs\.analyze\.1/);
    assert.ok(!(await listDeadLetters(letters, { FROM: String(second) })).includes(SCORE));
    const shown = await showDeadLetter(letters, { ID: String(first) });
    assert.match(shown, /message id {2}listed/);
    assert.ok(shown.endsWith('{no json'));
    assert.ok((await showDeadLetter(letters, { ID: String(second) })).endsWith('00ff'));
  });

  it('are kept once, however often the same message becomes a dead letter', async () => {
    const message = delivered(SCORE, 'x', 'twice');
    await deadLetter(message, 'unreadable');
    await deadLetter(message, 'unreadable');
    assert.equal((await ids()).length, 1);
  });

  it('are published where they came from, under their first id, and removed', async () => {
    await deadLetter(delivered(SCORE, 'a message', 'first id'), 'unreadable');
    const [id = 0] = await ids();
    assert.equal(await replay({ ID: String(id) }), '1 published again');
    assert.deepEqual(await ids(), []);
    const [message] = await events();
    assert.ok(message);
    assert.equal(message.subject, SCORE);
    assert.equal(message.string(), 'a message');
    assert.equal(messageIdOf(message), 'first id');
    assert.ok(isReplay(message));
  });

  it('are not swallowed as a repetition of the message that became a dead letter', async () => {
    await connection.jetstream().publish(SCORE, 'a message', { msgID: 'just sent' });
    await deadLetter(delivered(SCORE, 'a message', 'just sent'), 'unreadable');
    await replay();
    assert.equal((await events()).length, 2);
  });

  it('are published once even when a replay is cut off before the letter is removed', async () => {
    await deadLetter(delivered(SCORE, 'once', 'cut off'), 'unreadable');
    const [letter] = await letters.list(1, 1);
    assert.ok(letter);
    await letters.replay(letter);
    // The removed letter is published again here, as after a crash in between.
    await letters.replay(letter).catch(() => undefined);
    assert.equal((await events()).length, 1);
  });

  it('come back when what was published again cannot be read either', async () => {
    await deadLetter(delivered(SCORE, 'still unreadable', 'back'), 'unreadable');
    assert.equal(await replay(), '1 published again');
    // The same message under the same id, a moment later, at another position in the stream.
    await deadLetter(delivered(SCORE, 'still unreadable', 'back'), 'unreadable');
    assert.equal((await ids()).length, 1);
  });

  it('of several readers about one message publish it once', async () => {
    const publish = createPublish(connection);
    const message = delivered(SCORE, 'for all', 'shared');
    for (const reader of ['push', 'alerts', 'clusters']) {
      await createPublishDeadLetter(publish, reader)(message, 'unreadable');
    }
    const [first = 0, second = 0, third = 0] = await ids();
    assert.equal(await replay(), '1 published again');
    assert.deepEqual(said, [
      `${first} published again to ${SCORE}`,
      `${second} is the message of ${first}`,
      `${third} is the message of ${first}`,
    ]);
    assert.equal((await events()).length, 1);
    assert.deepEqual(await ids(), []);
  });

  it('are deleted by number or subject, never all at once', async () => {
    await deadLetter(delivered(SCORE, '1', 'deleted 1'), 'unreadable');
    await deadLetter(delivered('alert.fam', '2', 'deleted 2'), 'unreadable');
    await deadLetter(delivered('alert.fam', '3', 'deleted 3'), 'unreadable');
    const [first = 0, second = 0] = await ids();
    await assert.rejects(deleteDeadLetters(letters, {}), /^Error: give letters: /);
    assert.equal(await deleteDeadLetters(letters, { ID: String(second) }), '1 deleted');
    assert.equal(await deleteDeadLetters(letters, { SUBJECT: 'alert' }), '1 deleted');
    assert.equal(await deleteDeadLetters(letters, { SUBJECT: 'alert' }), 'no dead letters');
    assert.deepEqual(await ids(), [first]);
    assert.deepEqual(await events(), []);
  });

  it('are chosen by subject', async () => {
    await deadLetter(delivered(SCORE, '1', 'chosen 1'), 'unreadable');
    await deadLetter(delivered('scores.1', '2', 'chosen 2'), 'unreadable');
    await deadLetter(delivered('score.2.0x00', '3', 'chosen 3'), 'unreadable');
    assert.equal(await replay({ SUBJECT: 'score' }), '2 published again');
    assert.deepEqual(
      (await letters.list(1, 10)).map(({ subject }) => subject),
      ['scores.1'],
    );
  });

  it('stay where no stream takes them, and the error says so', async () => {
    await deadLetter(delivered('scores.1', '1', 'lost'), 'unreadable');
    await assert.rejects(replay(), /no stream takes scores\.1/);
    assert.equal((await ids()).length, 1);
  });

  it('are asked for by number', async () => {
    await assert.rejects(showDeadLetter(letters, {}), /give a letter/);
    await assert.rejects(showDeadLetter(letters, { ID: '999999' }), /no dead letter 999999/);
    await assert.rejects(replay({ ID: 'abc' }), /ID must be the number/);
    await assert.rejects(replay({ ID: '1', SUBJECT: 'score' }), /not both/);
    assert.equal(await replay(), 'no dead letters');
  });

  it('are shown even where something else wrote them', async () => {
    await connection.jetstream().publish('dlq.score.1', 'no letter');
    assert.match(await listDeadLetters(letters, {}), /not a letter of this service/);
  });

  it('are all published, however many there are', async () => {
    const many = Array.from({ length: 230 }, (_, i) =>
      deadLetter(delivered(SCORE, String(i), `many ${i}`), 'unreadable'),
    );
    await Promise.all(many);
    assert.match(await listDeadLetters(letters, {}), /more with FROM=/);
    assert.equal(await replay(), '230 published again');
    assert.equal((await events()).length, 230);
    assert.equal(said.length, 230);
  });
});
