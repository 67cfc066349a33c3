import { SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { z } from '../schema/zod.ts';
import { CHANNELS } from './channels.ts';
import { isEventId } from './subscription.ts';

const ID_LENGTH_MAX = 64;
const ADDRESSES_MAX = 500;

const id = z.string().min(1).max(ID_LENGTH_MAX);

/** Which events of a channel are wanted; what is absent lets all pass. */
const filterSchema = z
  .object({
    addresses: z.array(z.string().toLowerCase().pipe(addressSchema)).max(ADDRESSES_MAX).optional(),
    min_severity: z.enum(SEVERITIES).optional(),
    min_confidence: z.number().min(0).max(1).optional(),
    job_id: z.string().max(ID_LENGTH_MAX).optional(),
  })
  .strict();

/** What a client may say on a WebSocket. */
export const clientMessageSchema = z.discriminatedUnion('op', [
  z
    .object({
      op: z.literal('subscribe'),
      id,
      channel: z.enum(CHANNELS),
      filter: filterSchema.optional(),
      last_event_id: z.string().refine(isEventId, 'must be the id of an event').optional(),
    })
    .strict(),
  z.object({ op: z.literal('unsubscribe'), id }).strict(),
]);
export type ClientMessage = z.output<typeof clientMessageSchema>;

/** A message, or what is wrong with it. */
export const readClientMessage = (
  text: string,
): { message: ClientMessage } | { id: string | null; error: string } => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { id: null, error: 'message is not JSON' };
  }
  const parsed = clientMessageSchema.safeParse(json);
  if (parsed.success) return { message: parsed.data };
  const [issue] = parsed.error.issues;
  const claimed = z.object({ id }).safeParse(json);
  const path = issue?.path.join('.') ?? '';
  return {
    id: claimed.success ? claimed.data.id : null,
    error: `${path ? `${path}: ` : ''}${issue?.message ?? 'invalid message'}`,
  };
};
