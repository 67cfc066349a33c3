/** Remembers the most recently used keys, a bounded number of them. */
export interface LruSet<K> {
  has(key: K): boolean;
  add(key: K): void;
  clear(): void;
}

/** A set that forgets the key unused for longest when it is full. */
export const createLruSet = <K>(keysMax: number): LruSet<K> => {
  const keys = new Set<K>();
  return {
    has: (key) => {
      if (!keys.delete(key)) return false;
      keys.add(key);
      return true;
    },
    add: (key) => {
      keys.delete(key);
      keys.add(key);
      if (keys.size <= keysMax) return;
      const oldest = keys.values().next();
      if (!oldest.done) keys.delete(oldest.value);
    },
    clear: () => keys.clear(),
  };
};
