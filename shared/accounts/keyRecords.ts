/** Redis key of an API key's record (a hash). */
export const keyRecordKey = (digest: string): string => `key:${digest}`;

/** Redis key that leads from a key's id to its digest. */
export const keyIdKey = (id: string): string => `key-id:${id}`;

/** Redis key of the ids of every key a family ever had (a set). */
export const familyKey = (family: string): string => `family-keys:${family}`;
