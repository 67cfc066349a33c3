import { PUSH_EVENT_TYPES, type PushEventType } from '../../shared/events/pushEvent.ts';

/** Channels of a WebSocket. Every event type is on at most one of them. */
export const CHANNELS = ['alerts', 'scams', 'predictions', 'verdicts', 'jobs'] as const;
export type Channel = (typeof CHANNELS)[number];

const TYPES: Readonly<Record<Channel, readonly PushEventType[]>> = {
  alerts: ['watchlist.alert'],
  scams: ['token.scam_detected'],
  predictions: ['prediction.high_confidence'],
  verdicts: ['verdict.changed'],
  jobs: ['analysis.completed', 'analysis.failed'],
};

/** Event types on a channel. */
export const typesOn = (channel: Channel): readonly PushEventType[] => TYPES[channel];

/** The channel of an event type; undefined for webhook tests, which are on none. */
export const channelOf = (type: PushEventType): Channel | undefined =>
  CHANNELS.find((channel) => TYPES[channel].includes(type));

/** Event types that streams carry. */
export const STREAMED_TYPES = PUSH_EVENT_TYPES.filter((type) => channelOf(type) !== undefined);

/** Subjects of the event log for these types, for one key family. */
export const subjectsOf = (types: readonly PushEventType[], family: string): string[] => {
  const subjects = types.map((type) => {
    if (type === 'watchlist.alert') return `alert.${family}`;
    return type.startsWith('analysis.') ? `analysis.${family}` : 'score.>';
  });
  return [...new Set(subjects)];
};
