import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { projectRoot } from '../platform/projectRoot.ts';
import { FORMATTERS, MESSAGE_FORMATS } from './formats.ts';
import { LANGUAGES, type Language } from './language.ts';

/** The texts of one subject in every language. */
export interface Messages<Key extends string> {
  readonly keys: readonly Key[];
  readonly has: (name: string) => name is Key;
  /** The message as in its file, before values are inserted. */
  readonly source: (language: Language, key: Key) => string;
  /**
   * A message with its values. They are inserted once: their content is never parsed as part of the message.
   * @throws Error if a value is missing: a bug.
   */
  readonly say: (language: Language, key: Key, values?: Values) => string;
  /** `say` for a name from outside; undefined if there is no such message. */
  readonly find: (language: Language, name: string, values?: Values) => string | undefined;
}

type Values = Readonly<Record<string, string | number>>;

/** Folder with the messages of all languages, relative to the project's root. */
export const LOCALES_FOLDER = 'shared/locales';

/** Messages by their keys. */
type Texts = Readonly<Record<string, string>>;

const fileOf = (language: Language, subject: string): string =>
  join(LOCALES_FOLDER, language, `${subject}.json`);

const inEach = <Value>(make: (language: Language) => Value): Readonly<Record<Language, Value>> =>
  Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as Record<
    Language,
    Value
  >;

const messagesOf = <Key extends string, File>(
  subject: string,
  pick: (file: File) => Texts,
): Messages<Key> => {
  const sources = inEach((language) => {
    const text = readFileSync(join(projectRoot(), fileOf(language, subject)), 'utf8');
    return pick(JSON.parse(text) as File);
  });
  const parsed = inEach(() => new Map<Key, IntlMessageFormat>());
  const source = (language: Language, key: Key): string => {
    const found = sources[language][key];
    if (found === undefined) throw new Error(`${fileOf(language, subject)} has no ${key}`);
    return found;
  };
  const messageOf = (language: Language, key: Key): IntlMessageFormat => {
    const known = parsed[language].get(key);
    if (known) return known;
    const made = new IntlMessageFormat(source(language, key), language, MESSAGE_FORMATS, {
      ignoreTag: true,
      formatters: FORMATTERS,
    });
    parsed[language].set(key, made);
    return made;
  };
  const has = (name: string): name is Key => Object.hasOwn(sources.en, name);
  const say = (language: Language, key: Key, values: Values = {}): string =>
    String(messageOf(language, key).format(values));
  return {
    keys: Object.keys(sources.en) as Key[],
    has,
    source,
    say,
    find: (language, name, values) => (has(name) ? say(language, name, values) : undefined),
  };
};

/**
 * Reads `shared/locales/<language>/<subject>.json`: messages by key, in ICU MessageFormat. A message is parsed when
 * it is first used.
 */
export const readMessages = <Key extends string>(subject: string): Messages<Key> =>
  messagesOf(subject, (file: Texts) => file);

/** The same for a file with grouped messages, of which `pick` takes some. */
export const readGroups = <Key extends string>(
  subject: string,
  pick: (groups: Readonly<Record<string, Texts>>) => Texts,
): Messages<Key> => messagesOf(subject, pick);
