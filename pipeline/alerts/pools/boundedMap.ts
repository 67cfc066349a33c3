/** A map that forgets what was touched longest ago when it is full. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #entriesMax: number;
  #evicted = 0;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Entries forgotten so far. */
  get evicted(): number {
    return this.#evicted;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  values(): Iterable<V> {
    return this.#entries.values();
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  /** Sets an entry and makes it the youngest. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#entriesMax) return;
    for (const eldest of this.#entries.keys()) {
      this.#entries.delete(eldest);
      this.#evicted += 1;
      return;
    }
  }
}
