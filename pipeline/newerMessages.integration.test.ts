import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { deadLetterSchema } from '../shared/messages/deadLetter.ts';
import {
  alertSubject,
  analysisSubject,
  analyzeSubject,
  clusterSubject,
  DEAD_LETTER_STREAM,
  scoreSubject,
} from '../shared/messages/subjects.ts';
import { projectRoot } from '../shared/platform/projectRoot.ts';
import { until } from '../shared/testing/pipelineProcess.ts';
import { type Service, startAnvil } from '../shared/testing/services.ts';
import { readStream } from '../shared/testing/stores.ts';
import { type LiveStack, startLiveStack, untilReady } from './testing/chaos/liveStack.ts';

const CHAIN_ID = 31_337;
const ROLES = ['scorer', 'alerts', 'clusters', 'push'] as const;
const TIMEOUT_MS = 120_000;
const NEWER = 99;

/** A message in the form of some release. */
const goldenMessage = (name: string): Record<string, unknown> => {
  const path = join(projectRoot(), `shared/messages/golden/${name}.v1.r1.json`);
  const golden = z
    .object({ messages: z.array(z.record(z.unknown())).min(1) })
    .parse(JSON.parse(readFileSync(path, 'utf8')));
  return golden.messages[0] ?? {};
};

const SUBJECTS: Readonly<Record<string, string>> = {
  score: scoreSubject(CHAIN_ID, `0x${'ab'.repeat(20)}`),
  cluster: clusterSubject(CHAIN_ID, 'cl_1'),
  alert: alertSubject('family'),
  analysis: analysisSubject('family'),
  job: analyzeSubject(CHAIN_ID),
};
/** Which role keeps which message as a dead letter. */
const EXPECTED = [
  'alerts cluster',
  'alerts score',
  'clusters score',
  'push alert',
  'push analysis',
  'push score',
  'scorer jobs',
];

describe('messages of a newer release than the readers', () => {
  let anvil: Service;
  let stack: LiveStack;

  before(async () => {
    anvil = await startAnvil();
    stack = await startLiveStack(anvil.url);
    await stack.startRoles(ROLES);
    await untilReady('after the start', [...stack.roles.values()]);
  });
  after(async () => {
    await stack?.stop();
    await anvil?.stop();
  });

  it('become dead letters of every reader, and no reader ends', async () => {
    const jetstream = stack.nats.jetstream();
    for (const [name, subject] of Object.entries(SUBJECTS)) {
      const message = { ...goldenMessage(name), v: NEWER };
      await jetstream.publish(subject, JSON.stringify(message), { msgID: `newer:${name}` });
    }
    const letters = async (): Promise<string[]> => {
      const found = (await readStream(stack.nats, DEAD_LETTER_STREAM)).map(({ subject, data }) => {
        const { reader } = deadLetterSchema.parse(JSON.parse(Buffer.from(data).toString()));
        return `${reader} ${subject.split('.')[1]}`;
      });
      return found.toSorted();
    };
    const areAll = async () => ((await letters()).length >= EXPECTED.length ? true : undefined);
    await until('all are dead letters', areAll, TIMEOUT_MS);
    assert.deepEqual(await letters(), EXPECTED);
    const roles = [...stack.roles.values()];
    await untilReady('after the messages', roles);
    for (const role of roles) assert.equal(role.ownExits(), 0, role.output());
  });
});
