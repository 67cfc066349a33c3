import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { projectRoot } from '../platform/projectRoot.ts';
import { LANGUAGES, type Language } from './language.ts';
import { LOCALES_FOLDER } from './messages.ts';

const root = projectRoot();
const folderOf = (language: Language): string => join(root, LOCALES_FOLDER, language);
const SUBJECTS = readdirSync(folderOf('en')).toSorted();
type Words = Readonly<Record<string, string>>;
/** Messages of a file by key; for a grouped file, by `group/key`. */
const read = (language: Language, subject: string): Words => {
  const text = readFileSync(join(folderOf(language), subject), 'utf8');
  const file = JSON.parse(text) as Readonly<Record<string, string | Words>>;
  return Object.fromEntries(
    Object.entries(file).flatMap(([name, words]) =>
      typeof words === 'string'
        ? [[name, words]]
        : Object.entries(words).map(([key, message]) => [`${name}/${key}`, message]),
    ),
  );
};
/** A message's identifier in the code: its key; for a check's name and question, the check's id. */
const nameOf = (path: string): string => {
  const [group = '', key = group] = path.split('/');
  return key === 'name' || key === 'question' ? group : key;
};

const LETTERS: Partial<Record<Language, RegExp>> = {
  ru: /\p{Script=Cyrillic}/u,
  zh: /\p{Script=Han}/u,
};
/**
 * Names that are the same in every language, alone or inside a sentence, and texts that a reader types or copies.
 */
const TERMS =
  /Uniswap V2|Europe\/Berlin|\b(?:eth_simulateV1|ERC-?20|Transfer|Sync|shap_values|gas|API|WebSocket|webhook|Telegram|Slack|Discord|BotFather|IANA|QR|UTC|URL|LP|RATE_PLANS|starter|pro|free|https?|cl_?|x|f|a|Ctrl|C|AAE|DEX|ETH|SHA-256|Rug pull|min|km|ms|n|s)\b/gi;

/** Arguments of a message with their formats, unordered: `share number percent`. A plural writes its number. */
const argumentsOf = (elements: readonly MessageFormatElement[]): string[] =>
  elements.flatMap((element): string[] => {
    switch (element.type) {
      case TYPE.literal:
      case TYPE.pound:
      case TYPE.tag:
        return [];
      case TYPE.number:
      case TYPE.date:
      case TYPE.time:
        return [`${element.value} ${TYPE[element.type]} ${JSON.stringify(element.style)}`];
      case TYPE.plural:
        return [
          `${element.value} ${TYPE[TYPE.number]} null`,
          ...Object.values(element.options).flatMap(({ value }) => argumentsOf(value)),
        ];
      case TYPE.select:
        return [
          `${element.value} select`,
          ...Object.values(element.options).flatMap(({ value }) => argumentsOf(value)),
        ];
      case TYPE.argument:
        return [element.value];
    }
  });
const distinct = (values: readonly string[]): string[] => [...new Set(values)].toSorted();
const parsed = (message: string): MessageFormatElement[] => parse(message, { ignoreTag: true });

const literalsOf = (elements: readonly MessageFormatElement[]): string[] =>
  elements.flatMap((element) => {
    if (element.type === TYPE.literal) return [element.value];
    if (element.type !== TYPE.plural && element.type !== TYPE.select) return [];
    return Object.values(element.options).flatMap(({ value }) => literalsOf(value));
  });

const pluralsOf = (elements: readonly MessageFormatElement[]): string[][] =>
  elements.flatMap((element) =>
    element.type === TYPE.plural ? [Object.keys(element.options).toSorted()] : [],
  );

const sourceFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|eta|js|sql)$/.test(name) && !/\.test\.ts$|\bclients\//.test(name))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));

describe('messages in all languages', () => {
  for (const subject of SUBJECTS) {
    const english = read('en', subject);
    it(`${subject}: have the same keys and arguments, and every plural form`, () => {
      for (const language of LANGUAGES) {
        const own = read(language, subject);
        const file = `${LOCALES_FOLDER}/${language}/${subject}`;
        const lacking = Object.keys(english).filter((key) => !(key in own));
        assert.deepEqual(lacking, [], `${file} lacks what there is in English`);
        const added = Object.keys(own).filter((key) => !(key in english));
        assert.deepEqual(added, [], `${file} has what there is not in English`);
        const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
        for (const [key, message] of Object.entries(own)) {
          assert.notEqual(message.trim(), '', `${file}: ${key} is empty`);
          const elements = parsed(message);
          assert.deepEqual(
            distinct(argumentsOf(elements)),
            distinct(argumentsOf(parsed(english[key] ?? ''))),
            `${file}: ${key} has other values than in English`,
          );
          for (const forms of pluralsOf(elements))
            assert.deepEqual(forms, pluralCategories.toSorted(), `${file}: ${key}`);
        }
      }
    });

    it(`${subject}: are written in the letters of their language, but for names`, () => {
      for (const [language, letters] of Object.entries(LETTERS)) {
        for (const [key, message] of Object.entries(read(language as Language, subject))) {
          const words = literalsOf(parsed(message)).join(' ').replaceAll(TERMS, '');
          if (!/\p{L}/u.test(words)) continue;
          assert.match(words, letters, `${language} ${key}: ${message}`);
        }
      }
    });
  }

  it('of pages have one meaning a name', () => {
    const names = SUBJECTS.filter((name) => name.startsWith('pages.')).flatMap((name) =>
      Object.keys(read('en', name)),
    );
    assert.deepEqual(
      names.filter((name, i) => names.indexOf(name) !== i),
      [],
    );
  });

  it('of checks have one meaning a code', () => {
    const codes = Object.keys(read('en', 'checks.json'))
      .filter((path) => !/\/(?:name|question)$/.test(path))
      .map(nameOf);
    assert.deepEqual(
      codes.filter((code, i) => codes.indexOf(code) !== i),
      [],
    );
  });

  it('are all said somewhere', () => {
    const sources = ['api', 'pipeline', 'shared'].flatMap(sourceFiles).join('\n');
    const words = new Set(sources.match(/[\w-]+/g));
    // Composed names, such as `level${name}`.
    const prefixes = [...sources.matchAll(/`([a-z]+_?)\$\{|'([a-z]+_)'/gi)].map(
      ([, name, prefix]) => name ?? prefix ?? '',
    );
    const isSaid = (key: string): boolean =>
      words.has(key) ||
      sources.includes(`'${key}'`) ||
      prefixes.some((prefix) => key.startsWith(prefix));
    for (const subject of SUBJECTS.filter((name) => name !== 'faults.json')) {
      const unused = Object.keys(read('en', subject)).filter((path) => !isSaid(nameOf(path)));
      assert.deepEqual(unused, [], `${subject} has what nothing says`);
    }
  });
});
