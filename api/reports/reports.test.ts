import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forbiddenErrorSchema } from '../schema/errors.ts';
import { LANGUAGES } from '../schema/tokenB.ts';
import { walletOf } from '../testing/fakeNetwork.ts';
import { addressOf, createFakePorts, verdictOf } from '../testing/fakePorts.ts';
import { createFakeTokens } from '../testing/fakeTokens.ts';
import { startApp } from '../testing/startApp.ts';
import { composeTokenReport } from './composeTokenReport.ts';
import { composeWalletReport } from './composeWalletReport.ts';
import { reportHtml, reportMarkdown } from './renderReport.ts';
import { SECTIONS } from './report.ts';
import { PHRASES, plainNumber, say } from './say.ts';

const numbersIn = (text: string): string[] => (text.match(/\d+(\.\d+)?/g) ?? []).toSorted();
const placeholdersIn = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe('phrases', () => {
  it('have the same placeholders in every language', () => {
    for (const [key, phrase] of Object.entries(PHRASES.en)) {
      const expected = placeholdersIn(typeof phrase === 'string' ? phrase : (phrase.other ?? ''));
      for (const language of LANGUAGES) {
        const own = PHRASES[language][key as keyof typeof PHRASES.en];
        for (const text of typeof own === 'string' ? [own] : Object.values(own)) {
          assert.deepEqual(placeholdersIn(text), expected, `${language} ${key}`);
        }
      }
    }
  });

  it('have every plural form their language has', () => {
    for (const language of LANGUAGES) {
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
      for (const [key, phrase] of Object.entries(PHRASES[language])) {
        if (typeof phrase === 'string') continue;
        const forms = Object.keys(phrase).toSorted();
        assert.deepEqual(forms, pluralCategories.toSorted(), `${language} ${key}`);
      }
    }
  });

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
      'Токен держат 1.5 адреса.',
    ]);
    assert.equal(say('en', 'failed', { n: 1 }), '1 check failed.');
    assert.equal(say('es', 'holders', { n: 1_000_000 }), '1000000 de direcciones tienen el token.');
  });

  it('write numbers alike, without exponents', () => {
    assert.deepEqual([0, -0.001, 1 / 3, 1e21, -2.5].map(plainNumber), [
      '0',
      '0',
      '0.33',
      '1000000000000000000000',
      '-2.5',
    ]);
  });
});

describe('reports', () => {
  const verdict = verdictOf(addressOf(1), {
    name: '<b>Moon</b> [x](http://evil)\n# Pepe',
    symbol: '`M`',
  });
  const reports = LANGUAGES.map((language) =>
    composeTokenReport({ verdict, verdicts: 7, clusterId: null, language }, SECTIONS),
  );

  it('say the same numbers in all languages, in all sections', () => {
    const [first, ...others] = reports;
    assert.ok(first);
    for (const report of others) {
      assert.deepEqual(numbersIn(reportMarkdown(report)), numbersIn(reportMarkdown(first)));
      assert.deepEqual(report.verdict, first.verdict);
      for (const [index, { lines }] of report.sections.entries()) {
        assert.deepEqual(
          numbersIn(lines.join('\n')),
          numbersIn(first.sections[index]?.lines.join('\n') ?? ''),
        );
      }
    }
    assert.equal(new Set(reports.map(reportMarkdown)).size, LANGUAGES.length);
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

  it('on wallets leave out what only tokens have', () => {
    const texts = LANGUAGES.map((language) =>
      reportMarkdown(composeWalletReport(walletOf(addressOf(2)), language, SECTIONS)),
    );
    for (const text of texts) assert.deepEqual(numbersIn(text), numbersIn(texts[0] ?? ''));
  });
});

describe('reports over HTTP', () => {
  const { ports, keys } = createFakePorts();
  const { key } = keys.add('starter');
  let app: Awaited<ReturnType<typeof startApp>>;
  before(async () => {
    app = await startApp(ports);
  });
  after(() => app.close());
  const generate = (address: string, body?: unknown, as = key) =>
    app.call(`/api/reports/generate/${address}`, {
      key: as,
      method: 'POST',
      ...(body === undefined ? {} : { body }),
    });

  it('are written once for a verdict, language and family, and read in three forms', async () => {
    const first = await generate(addressOf(1));
    assert.equal(first.status, 201, first.text);
    const again = await generate(addressOf(1), { language: 'en' });
    assert.deepEqual([again.status, again.body], [200, first.body]);
    const russian = await generate(addressOf(1), { language: 'ru' });
    assert.equal(russian.status, 201);
    const { self, html } = first.body.data.urls;
    const json = await app.call(self, { key });
    assert.deepEqual(json.body, first.body);
    const markdown = await app.call(`${self}?format=markdown`, { key });
    assert.match(markdown.headers.get('Content-Type') ?? '', /^text\/markdown/);
    assert.equal(markdown.text, first.body.data.markdown);
    const page = await app.call(html, { key });
    assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
    assert.match(page.headers.get('Content-Security-Policy') ?? '', /^default-src 'none'/);
    assert.equal((await app.call(self, { key: keys.add('pro').key })).status, 404);
  });

  it('hold the sections asked for, in their order', async () => {
    const { body } = await generate(addressOf(1), { sections: ['method', 'verdict', 'method'] });
    assert.deepEqual(
      body.data.sections.map(({ id }: { id: string }) => id),
      ['verdict', 'method'],
    );
    assert.equal((await generate(addressOf(1), { sections: ['gossip'] })).status, 400);
    assert.equal((await generate(addressOf(1), { language: 'de' })).body.code, 'REQ_001');
  });

  it('tell wallets from tokens', async () => {
    const wallet = await generate(addressOf(0xcc));
    assert.deepEqual(
      [wallet.status, wallet.body.data?.subject, wallet.body.data?.verdict.is_rug],
      [201, 'wallet', null],
      wallet.text,
    );
  });

  it('wait for an analysis, and tell to come back when it takes longer', async () => {
    const { ports: empty, keys: others } = createFakePorts({ tokens: createFakeTokens([]) });
    const other = await startApp(empty);
    const answer = await other.call(`/api/reports/generate/${addressOf(9)}`, {
      key: others.add('pro').key,
      method: 'POST',
    });
    await other.close();
    assert.deepEqual([answer.status, answer.body.code], [503, 'SYS_002']);
    assert.equal(answer.headers.get('Retry-After'), '5');
  });

  it('are not for the free tier', async () => {
    const refused = await generate(addressOf(1), undefined, keys.add('free').key);
    assert.equal(refused.status, 403);
    assert.equal(forbiddenErrorSchema.parse(refused.body).required_tier, 'starter');
  });
});
