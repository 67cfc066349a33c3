import type { JsMsg } from 'nats';
import { REPLAY_OF_HEADER } from '../messages/deadLetter.ts';

const MESSAGE_ID_HEADER = 'Nats-Msg-Id';

/** Whether a message is published again after it lay among the dead letters. */
export const isReplay = ({ headers }: Pick<JsMsg, 'headers'>): boolean =>
  headers?.has(REPLAY_OF_HEADER) ?? false;

/** The id a publisher gave a message: of one that is published again, the id it had at first. */
export const messageIdOf = ({ headers }: Pick<JsMsg, 'headers'>): string | undefined =>
  headers?.get(REPLAY_OF_HEADER) || headers?.get(MESSAGE_ID_HEADER) || undefined;
