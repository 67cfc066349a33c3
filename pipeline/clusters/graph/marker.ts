import { reserve } from './reserve.ts';

/** Whether a wallet belongs to the ring that is being grown. */
export type IsMember = (wallet: number) => boolean;

/** A set of wallet numbers that is emptied in no time: a wallet is in it when it bears the current stamp. */
export interface Marker {
  clear(): void;
  /** Adds a wallet; false when it was there. */
  add(wallet: number): boolean;
  has(wallet: number): boolean;
}

/** An empty set for numbers below `capacity`; 4 bytes each. */
export const createMarker = (capacity: number): Marker => {
  const stamps = reserve(Uint32Array, capacity);
  let stamp = 1;
  return {
    clear: () => {
      stamp += 1;
      if (stamp < 2 ** 32) return;
      stamps.fill(0);
      stamp = 1;
    },
    add: (wallet) => {
      if (stamps[wallet] === stamp) return false;
      stamps[wallet] = stamp;
      return true;
    },
    has: (wallet) => stamps[wallet] === stamp,
  };
};
