import { errorMessage } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { invalidRequest, notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { successB } from '../server/present.ts';
import { address, addressInput, envelopeB, isoDateTime, z } from '../server/schema.ts';
import type { Jobs } from '../tokens/jobs.ts';
import {
  FEEDBACK_KINDS,
  FEEDBACK_STATES,
  type Feedback,
  type FeedbackItem,
} from './feedbackStore.ts';

const DETAILS_LENGTH_MIN = 10;
const DETAILS_LENGTH_MAX = 4_000;
/** One mailbox, read by a person: no stricter check is needed. */
const CONTACT_PATTERN = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;
const CONTACT_LENGTH_MAX = 254;

const bodySchema = z
  .object({
    address: addressInput,
    kind: z.enum(FEEDBACK_KINDS),
    details: z.string().trim().min(DETAILS_LENGTH_MIN).max(DETAILS_LENGTH_MAX),
    contact: z
      .string()
      .regex(CONTACT_PATTERN, 'must be an e-mail address')
      .max(CONTACT_LENGTH_MAX)
      .optional(),
  })
  .strict();

const feedbackSchema = z
  .object({
    id: z.string(),
    address,
    kind: z.enum(FEEDBACK_KINDS),
    status: z.enum(FEEDBACK_STATES),
    details: z.string(),
    resolution: z.string().nullable(),
    created_at: isoDateTime,
    resolved_at: isoDateTime.nullable(),
  })
  .openapi('Feedback');

const present = (item: FeedbackItem): z.output<typeof feedbackSchema> => ({
  id: item.id,
  address: item.address,
  kind: item.kind,
  status: item.status,
  details: item.details,
  resolution: item.resolution,
  created_at: isoTime(item.createdAtMs),
  resolved_at: item.resolvedAtMs === null ? null : isoTime(item.resolvedAtMs),
});

/** POST /api/feedback */
export const addFeedback = (ports: { feedback: Feedback; jobs: Jobs; logger: Logger }): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/api/feedback',
    id: 'addFeedback',
    tag: 'Feedback',
    summary: 'Dispute a verdict',
    description:
      'The token is analysed again. `contact` is never shown. Read the state with `GET /api/feedback/{id}`.',
    isIdempotent: true,
    body: bodySchema,
    response: envelopeB(feedbackSchema),
    successes: { 201: 'The disputed verdict' },
    handle: async ({ body, caller }) => {
      const { contact = '', ...given } = body;
      const item = await ports.feedback.add({ ...given, contact, family: caller.family });
      if (!item) throw invalidRequest('this key family has disputed as many verdicts as are kept');
      try {
        await ports.jobs.start({ family: caller.family, token: body.address, force: true });
      } catch (error) {
        // The dispute is stored whether or not the analysis can be queued.
        ports.logger.warn({ feedback: item.id }, `not analysed again: ${errorMessage(error)}`);
      }
      return { status: 201, body: successB(present(item)) };
    },
  });

/** GET /api/feedback/{id} */
export const getFeedback = ({ feedback }: { feedback: Feedback }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/feedback/{id}',
    id: 'getFeedback',
    tag: 'Feedback',
    summary: 'A disputed verdict',
    description: 'Only disputes of the own key family.',
    params: z
      .object({ id: z.string().regex(/^fb_[0-9A-HJKMNP-TV-Z]{26}$/, 'must be fb_ and a ULID') })
      .strict(),
    response: envelopeB(feedbackSchema),
    successes: { 200: 'The disputed verdict' },
    errors: [404],
    handle: async ({ params, caller }) => {
      const item = await feedback.find(caller.family, params.id);
      if (!item) throw notFound('no such feedback');
      return {
        body: successB(present(item)),
        version: `${item.id}-${item.status}-${item.resolvedAtMs ?? item.createdAtMs}`,
      };
    },
  });
