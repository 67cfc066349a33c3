/** Languages that sentences are written in. */
export const LANGUAGES = ['en', 'ru', 'es', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text in every language, in the order of `LANGUAGES`. */
export type Texts = readonly [en: string, ru: string, es: string, zh: string];

const PLACE: Readonly<Record<Language, 0 | 1 | 2 | 3>> = { en: 0, ru: 1, es: 2, zh: 3 };

/** A text in one language. */
export const textIn = (texts: Texts, language: Language): string => texts[PLACE[language]];
