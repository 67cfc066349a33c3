import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Check } from '../../shared/messages/verdictDoc.ts';
import { FORMATS } from '../../shared/sentences/formats.ts';
import { LANGUAGES, type Language } from '../../shared/sentences/language.ts';
import { type Sentence, sentence } from '../../shared/sentences/sentence.ts';
import { writeSentence } from '../../shared/sentences/writeSentence.ts';
import { addressOf, verdictOf, walletOf } from '../testing/fakePorts.ts';
import { composeTokenReport } from './composeTokenReport.ts';
import { composeWalletReport } from './composeWalletReport.ts';
import { reportHtml, reportMarkdown } from './renderReport.ts';
import { SECTIONS } from './report.ts';
import { say } from './say.ts';

const withPlainSpaces = (text: string): string => text.replaceAll(/\s/g, ' ');
/** Numbers in a text, without its dates, in any language's notation. */
const numbersIn = (given: string, language: Language, momentsMs: readonly number[]): string[] => {
  const moments = momentsMs.map((ms) => withPlainSpaces(FORMATS[language].time(ms)));
  const text = moments.reduce((rest, each) => rest.replaceAll(each, ''), withPlainSpaces(given));
  const [group, decimal] = { en: [',', '.'], ru: [' ', ','], es: ['.', ','], zh: [',', '.'] }[
    language
  ];
  const plain = text
    .replaceAll(new RegExp(`(?<=\\d)[${group}](?=\\d{3}(?!\\d))`, 'g'), '')
    .replaceAll(new RegExp(`(?<=\\d)[${decimal}](?=\\d)`, 'g'), '.');
  return (plain.match(/\d+(\.\d+)?/g) ?? []).toSorted();
};

const TOKEN = addressOf(1);
/** Sentences of checks and of evidence, with their English form. */
const SAID: readonly (readonly [Sentence, string])[] = [
  sentence('saleKeeps', { share: 0.5 }),
  sentence('sellFails', { why: sentence('byTransfer', { why: sentence('revertsSilently') }) }),
  sentence('powerProven', {
    origin: sentence('originOwner'),
    harm: sentence('harmMint'),
    call: 'mint(address,uint256)',
    effect: sentence('effectMint', { share: 1 }),
  }),
  sentence('buyThenSell', { token: TOKEN }),
  sentence('transferLogs'),
].map((one) => [one, writeSentence(one, 'en')]);

describe('phrases', () => {
  it('choose the plural form by the number', () => {
    const russian = [1, 2, 5, 11, 21, 22, 25, 1.5].map((n) => say('ru', 'holders', { n }));
    assert.deepEqual(russian, [
      'Токен держит 1 адрес.',
      'Токен держат 2 адреса.',
      'Токен держат 5 адресов.',
      'Токен держат 11 адресов.',
      'Токен держит 21 адрес.',
      'Токен держат 22 адреса.',
      'Токен держат 25 адресов.',
      'Токен держат 1,5 адреса.',
    ]);
    assert.equal(say('en', 'failed', { n: 1 }), '1 check failed.');
    assert.equal(
      say('es', 'holders', { n: 1_000_000 }),
      '1.000.000 de direcciones tienen el token.',
    );
  });
});

describe('reports', () => {
  const verdict = verdictOf(addressOf(1), {
    name: '<b>Moon</b> [x](http://evil)\n# Pepe',
    symbol: '`M`',
  });
  const reports = LANGUAGES.map((language) =>
    composeTokenReport({ verdict, verdicts: 7, creator: undefined, language }, SECTIONS),
  );

  const momentsMs = [verdict.createdAtS * 1000, verdict.analyzedAtMs];

  it('say the same numbers in all languages, in all sections', () => {
    const [first, ...others] = reports;
    assert.ok(first);
    const expected = (text: string) => numbersIn(text, 'en', momentsMs);
    for (const report of others) {
      const own = (text: string) => numbersIn(text, report.language, momentsMs);
      assert.deepEqual(own(reportMarkdown(report)), expected(reportMarkdown(first)));
      assert.deepEqual(report.verdict, first.verdict);
      for (const [index, { lines }] of report.sections.entries()) {
        const english: string = first.sections[index]?.lines.join('\n') ?? '';
        assert.deepEqual(own(lines.join('\n')), expected(english), report.language);
      }
    }
    assert.equal(new Set(reports.map(reportMarkdown)).size, LANGUAGES.length);
  });

  it('list checks of the code under the contract, but those of a hook, which is another one', () => {
    const checks = ['mint_power', 'hook_power', 'hook_tax'].map(
      (id): Check => ({ id, status: 'fail', severity: 'warning', reason: `of ${id}` }) as Check,
    );
    const failed = { ...verdict, doc: { ...verdict.doc, checks } };
    const input = { verdict: failed, verdicts: 1, creator: undefined, language: 'en' } as const;
    const [section] = composeTokenReport(input, ['contract']).sections;
    const named = section?.lines.join(' ').match(/of \w+_(?:power|tax)/g);
    assert.deepEqual(named, ['of mint_power']);
  });

  it('say of the creator what is known now, not what was known before the verdict', () => {
    const creator = { riskScore: 88, tokensCreated: 4, scams: 3, clusterId: 'cl_1' };
    const input = { verdict, verdicts: 7, creator, language: 'en' } as const;
    const { sections } = composeTokenReport(input, ['creator', 'network']);
    const { address } = verdict.doc.creator;
    assert.deepEqual(
      sections.map(({ lines }) => lines),
      [
        [
          `Created by ${address}, whose risk score is 88 of 100.`,
          'The creator made 4 tokens; 75% of them were judged scams.',
        ],
        ['It belongs to the ring of wallets cl_1.'],
      ],
    );
  });

  it('write numbers and dates as the language does', () => {
    const texts = reports.map((report) => withPlainSpaces(reportMarkdown(report)));
    const expected = [
      [/\$15,230\.50/, /with a confidence of 95%/, /\d{2}:\d{2}:\d{2} UTC/],
      [/15 230,50 \$/, /с уверенностью 95 %/, /\d{4} г\. в \d{2}:\d{2}:\d{2} UTC/],
      [/15\.230,50 US\$/, /con una confianza del 95 %/, /\d{1,2} de \p{L}+ de \d{4}/u],
      [/US\$15,230\.50/, /置信度 95%/, /\d{4}年\d{1,2}月\d{1,2}日/],
    ];
    for (const [i, patterns] of expected.entries()) {
      for (const pattern of patterns) assert.match(texts[i] ?? '', pattern);
    }
  });

  it('say what moved the verdict in short numbers, and what was not observed only of what could have been', () => {
    const shap_values = { ageS: 2.0041234567, 'prior:age': 0.5168798809, untold: -0.00004567 };
    const moved = { ...verdict, doc: { ...verdict.doc, shap_values, margin: 1.6123456789 } };
    const input = { verdict: moved, verdicts: 7, creator: undefined, language: 'ru' } as const;
    const [section] = composeTokenReport(input, ['method']).sections;
    const [, margin, ...lines] = section?.lines ?? [];
    assert.match(margin ?? '', /: 1,61, из них -0,4 /);
    assert.deepEqual(lines, [
      'Возраст пула при последней оценке рынка, в секундах: 60. Повышает риск на 2,004.',
      'Обычное для такого возраста. Повышает риск на 0,5169.',
      'untold: не наблюдалось. Понижает риск на 0,00004567.',
    ]);
  });

  it('state what checks found and what shows it in their own language', () => {
    const checks = SAID.map(
      ([, english], i): Check => ({
        id: `check_${i}`,
        status: 'fail',
        severity: 'warning',
        reason: english,
        evidence: [{ kind: 'call', ref: `eth_call@${i}`, note: english }],
      }),
    );
    const sentences = Object.fromEntries(
      SAID.map(([one], i) => [`check_${i}`, { reason: one, notes: [one] }]),
    );
    const doc = { ...verdict.doc, checks, sentences };
    for (const language of LANGUAGES) {
      const input = { verdict: { ...verdict, doc }, verdicts: 7, creator: undefined, language };
      const report = composeTokenReport(input, SECTIONS);
      const text = [report.summary, ...report.sections.flatMap(({ lines }) => lines)].join('\n');
      for (const [one, english] of SAID) {
        const own = writeSentence(one, language);
        assert.equal(text.split(own).length > 2, true, `${language}: ${own}`);
        if (language !== 'en') assert.ok(!text.includes(english), `${language}: ${english}`);
      }
    }
  });

  it('name the frameworks of the code, and say that they weigh nothing', () => {
    const frameworks = [
      { name: 'UUPS', marks: 2, of: 2 },
      { name: 'Solady', marks: 3, of: 5 },
    ];
    const lines = LANGUAGES.map((language) => {
      const doc = { ...verdict.doc, frameworks };
      const input = { verdict: { ...verdict, doc }, verdicts: 7, creator: undefined, language };
      return composeTokenReport(input, ['contract']).sections[0]?.lines[1];
    });
    assert.deepEqual(lines, [
      'The code bears the marks of UUPS and Solady. Anyone can copy them, so they weigh nothing in the verdict.',
      'В коде есть признаки UUPS и Solady. Скопировать их может кто угодно, поэтому на вердикт они не влияют.',
      'El código lleva marcas de UUPS y Solady. Cualquiera puede copiarlas: no pesan nada en el veredicto.',
      '代码带有 UUPS和Solady 的特征。任何人都能复制这些特征，因此对结论没有影响。',
    ]);
  });

  it('show verdicts that were stored without sentences in English', () => {
    for (const report of reports) {
      const evidence = report.sections.find(({ id }) => id === 'evidence');
      assert.ok(
        evidence?.lines.some((line) => line.includes('No node.')),
        report.language,
      );
    }
  });

  it('let no name of a token format, link or break out', () => {
    for (const report of reports) {
      const markdown = reportMarkdown(report);
      assert.ok(!markdown.includes('<b>') && !/\[x\]\(/.test(markdown));
      assert.equal(markdown.match(/^# /gm)?.length, 1);
      const html = reportHtml(report);
      assert.ok(!html.includes('<b>'));
      assert.ok(html.includes(`<html lang="${report.language}">`));
      assert.ok(!/<script|src=|href=/.test(html));
    }
  });

  it('on wallets leave out what only tokens have, and name roles in their language', () => {
    const wallet = { ...walletOf(addressOf(2)), role: 'liquidity_provider' };
    const moments = [wallet.firstSeenS * 1000, wallet.lastActivityS * 1000];
    const texts = LANGUAGES.map((language) =>
      reportMarkdown(composeWalletReport(wallet, language, SECTIONS)),
    );
    const expected = numbersIn(texts[0] ?? '', 'en', moments);
    for (const [i, language] of LANGUAGES.entries()) {
      assert.deepEqual(numbersIn(texts[i] ?? '', language, moments), expected, language);
      assert.ok(texts[i]?.includes(say(language, 'role_liquidity_provider')), texts[i]);
    }
  });
});
