/** Values by key, each group in the order in which its values came. */
export const groupBy = <T, K, V = T>(
  values: Iterable<T>,
  keyOf: (value: T) => K,
  valueOf: (value: T) => V,
): Map<K, V[]> => {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(valueOf(value));
    else groups.set(key, [valueOf(value)]);
  }
  return groups;
};
