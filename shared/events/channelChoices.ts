import pLimit from 'p-limit';
import { z } from 'zod';
import {
  type AlertOverrides,
  alertOverridesSchema,
  type SettingsChanged,
} from '../messages/settingsMessage.ts';
import type { Clickhouse } from '../platform/clickhouse.ts';

/** Ways on which alerts reach their family, unless it chose otherwise. */
type Channel = 'webhook' | 'websocket';

const CHANNELS: readonly Channel[] = ['webhook', 'websocket'];

/** Which key families do not want their alerts on a channel. */
export interface ChannelChoices {
  /** Reads all choices anew. */
  load(): Promise<void>;
  /** Takes in a change. */
  apply(change: SettingsChanged): void;
  isOpen(family: string, channel: Channel): boolean;
}

const settingsRow = z.object({
  family: z.string(),
  settings: z.string().transform((text): AlertOverrides => {
    const parsed = alertOverridesSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : {};
  }),
});

/** Choices kept in memory: only families that closed a channel take room. */
export const createChannelChoices = (database: Pick<Clickhouse, 'query'>): ChannelChoices => {
  let closed = new Map<string, ReadonlySet<Channel>>();
  const closedBy = ({ channels }: AlertOverrides): ReadonlySet<Channel> =>
    new Set(CHANNELS.filter((channel) => channels?.[channel] === false));
  /** What changed while a load is under way: it is newer than what is read. */
  let changed: SettingsChanged[] = [];
  const put = ({ family, overrides }: SettingsChanged): void => {
    const channels = closedBy(overrides);
    if (channels.size > 0) closed.set(family, channels);
    else closed.delete(family);
  };
  const load = async (): Promise<void> => {
    changed = [];
    const sql = 'SELECT family, settings FROM alert_settings FINAL';
    const rows = await database.query(sql, {}, settingsRow);
    closed = new Map(
      rows
        .map(({ family, settings }) => [family, closedBy(settings)] as const)
        .filter(([, channels]) => channels.size > 0),
    );
    for (const change of changed) put(change);
    changed = [];
  };
  const oneAtATime = pLimit(1);
  return {
    load: () => oneAtATime(load),
    apply: (change) => {
      if (oneAtATime.activeCount > 0) changed.push(change);
      put(change);
    },
    isOpen: (family, channel) => !closed.get(family)?.has(channel),
  };
};
