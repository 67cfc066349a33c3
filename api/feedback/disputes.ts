import { z } from 'zod';
import { analyzeSubject } from '../../shared/messages/subjects.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { fields, readConfig } from '../../shared/platform/config.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import { connectNats } from '../../shared/platform/nats.ts';
import { createPublish } from '../../shared/platform/publish.ts';
import { openRedis } from '../../shared/platform/redis.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { createJobs } from '../tokens/jobs.ts';
import {
  createFeedbackStore,
  type FamilyFeedback,
  type FeedbackStore,
  RESOLUTIONS,
} from './feedbackStore.ts';

const ANSWER_LENGTH_MAX = 4_000;
const USAGE = `usage: disputes list | answer
list shows the disputes that are open, or all with ALL=1; answer takes ID, STATUS (${RESOLUTIONS.join(' or ')}) and ANSWER,
which the author of the dispute reads.`;

const configSchema = z.object({
  REDIS_URL: fields.REDIS_URL,
  NATS_URL: fields.NATS_URL,
  CHAIN_ID: fields.CHAIN_ID,
  ALL: z.string().default(''),
});

const answerSchema = z.object({
  ID: z.string(),
  STATUS: z.enum(RESOLUTIONS),
  ANSWER: z
    .string()
    .trim()
    .min(1, 'must say something')
    .max(ANSWER_LENGTH_MAX, `must have at most ${ANSWER_LENGTH_MAX} characters`),
});

/** A user's text for a terminal, without characters that could move the cursor. */
const shown = (text: string): string => text.replace(/[\p{C}\s]+/gu, ' ');

const describe = (item: FamilyFeedback): string => {
  const { id, kind, address, chainId, family, contact, resolution } = item;
  const author = contact === '' ? `family ${family}` : `family ${family}, ${shown(contact)}`;
  const lines = [
    `${id} ${item.status}: ${kind}, ${address} on chain ${chainId}, ${isoTime(item.createdAtMs)}, ${author}`,
    `  ${shown(item.details)}`,
    ...(resolution === null ? [] : [`  answer: ${shown(resolution)}`]),
  ];
  return lines.join('\n');
};

const list = async (feedback: FeedbackStore, withAnswered: boolean): Promise<string> => {
  const items = await feedback.all();
  const listed = items.filter(({ status }) => withAnswered || status === 'open');
  return listed.length === 0 ? 'no open disputes' : listed.map(describe).join('\n\n');
};

/** Answers a dispute. If it is accepted, the token is analysed again with the current models and lists. */
const answer = async (
  feedback: FeedbackStore,
  analyse: (item: FamilyFeedback) => Promise<unknown>,
): Promise<string> => {
  const { ID, STATUS, ANSWER } = readConfig(answerSchema);
  const item = await feedback.resolve(ID, { status: STATUS, resolution: ANSWER });
  if (!item) throw new Error(`no open dispute has the id ${shown(ID)}: see make disputes ALL=1`);
  if (STATUS === 'accepted') await analyse(item);
  return describe(item);
};

const main = async (command: string | undefined): Promise<void> => {
  if (command !== 'list' && command !== 'answer') throw new Error(USAGE);
  const { REDIS_URL, NATS_URL, CHAIN_ID: chainId, ALL } = readConfig(configSchema);
  const clock = systemClock;
  const redis = await openRedis(REDIS_URL);
  try {
    const feedback = createFeedbackStore({ redis, chainId, clock });
    const analyse = async ({ family, address, chainId: ownChainId }: FamilyFeedback) => {
      const nats = await connectNats(NATS_URL, 'disputes');
      const publish = createPublish(nats);
      const jobs = createJobs({
        redis,
        chainId: ownChainId,
        now: () => clock.now(),
        publish: (job) => publish(analyzeSubject(ownChainId), job, job.jobId),
      });
      try {
        await jobs.start({ family, token: address, force: true });
      } finally {
        await nats.close();
      }
    };
    console.log(
      command === 'list' ? await list(feedback, ALL !== '') : await answer(feedback, analyse),
    );
  } finally {
    redis.disconnect();
  }
};

try {
  await main(process.argv[2]);
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 1;
}
