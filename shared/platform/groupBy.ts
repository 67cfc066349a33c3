interface GroupBy {
  <T, K>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]>;
  <T, K, V>(values: Iterable<T>, keyOf: (value: T) => K, valueOf: (value: T) => V): Map<K, V[]>;
}

/** Values by key, each group in input order; `valueOf` maps each element to the value that is kept. */
export const groupBy: GroupBy = <T, K>(
  values: Iterable<T>,
  keyOf: (value: T) => K,
  valueOf: (value: T) => unknown = (value) => value,
): Map<K, never[]> => {
  const groups = new Map<K, unknown[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(valueOf(value));
    else groups.set(key, [valueOf(value)]);
  }
  return groups as Map<K, never[]>;
};
