/** Languages of texts for users. */
export const LANGUAGES = ['en', 'ru', 'es', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];
