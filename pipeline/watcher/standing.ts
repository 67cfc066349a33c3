import type { ChainStanding } from '../../shared/messages/heartbeat.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { WatcherMeter } from './progress.ts';

/** What the watcher last heard of its node, and how far it is itself. */
export interface Standing {
  /** Undefined until the node has answered. */
  read(): ChainStanding | undefined;
  /** A meter that also keeps this up to date. */
  readonly meter: WatcherMeter;
}

/** Keeps the latest of what the numbers of a watcher tell, for its signs of life. */
export const createStanding = (meter: WatcherMeter, clock: Clock): Standing => {
  let standing: ChainStanding | undefined;
  return {
    read: () => standing,
    meter: {
      ...meter,
      saw: (look) => {
        meter.saw(look);
        const { head, timestampS, next } = look;
        standing = { head, headTimeS: timestampS, answeredAtMs: clock.now(), next };
      },
      published: (stretch) => {
        meter.published(stretch);
        standing &&= { ...standing, next: stretch.block + 1 };
      },
    },
  };
};
