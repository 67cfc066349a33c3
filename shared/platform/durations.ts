/** Seconds in a day. */
export const DAY_S = 86_400;
