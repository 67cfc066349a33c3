import { PUSH_EVENT_TYPES, type PushEventType } from '../../shared/events/pushEvent.ts';

/** Channels of a WebSocket. Every type of event is on one of them at most. */
export const CHANNELS = ['alerts', 'scams', 'predictions', 'verdicts', 'jobs'] as const;
export type Channel = (typeof CHANNELS)[number];

const TYPES: Readonly<Record<Channel, readonly PushEventType[]>> = {
  alerts: ['watchlist.alert'],
  scams: ['token.scam_detected'],
  predictions: ['prediction.high_confidence'],
  verdicts: ['verdict.changed'],
  jobs: ['analysis.completed', 'analysis.failed'],
};

/** Types of event on a channel. */
export const typesOn = (channel: Channel): readonly PushEventType[] => TYPES[channel];

/** The channel a type of event is on; undefined for tests of webhooks, which are on none. */
export const channelOf = (type: PushEventType): Channel | undefined =>
  CHANNELS.find((channel) => TYPES[channel].includes(type));

/** Types of event that streams carry. */
export const STREAMED_TYPES = PUSH_EVENT_TYPES.filter((type) => channelOf(type) !== undefined);

/** Subjects of the event log that these types come from, for one key family. */
export const subjectsOf = (types: readonly PushEventType[], family: string): string[] => {
  const subjects = types.map((type) => {
    if (type === 'watchlist.alert') return `alert.${family}`;
    return type.startsWith('analysis.') ? `analysis.${family}` : 'score.>';
  });
  return [...new Set(subjects)];
};
