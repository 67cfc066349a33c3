/** Languages that people are spoken to in. */
export const LANGUAGES = ['en', 'ru', 'es', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];
