/** ISO 8601 UTC with whole seconds, from Unix milliseconds. */
export const isoTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
