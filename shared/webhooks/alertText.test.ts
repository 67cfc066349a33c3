import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventsOf } from '../events/eventsOf.ts';
import type { PushEventBody } from '../events/pushEvent.ts';
import { RECOMMENDATIONS, SEVERITIES } from '../messages/alertMessage.ts';
import { scoreSubject } from '../messages/subjects.ts';
import { ALERT_TYPES } from '../rules/artifacts/alertTypes.ts';
import { LANGUAGES } from '../sentences/language.ts';
import { sampleScore } from '../testing/samples.ts';
import { isAlertPhrase } from './alertPhrases.ts';
import { alertText, type Reader } from './alertText.ts';
import { CHAT_KINDS, chatService, hookPathOf, readRefusal } from './chatServices.ts';
import { plainName } from './plainName.ts';

const TOKEN = `0x${'ab'.repeat(20)}` as const;
const READER: Reader = {
  language: 'en',
  baseUrl: 'https://api.test',
  escape: (text) => text,
  lengthMax: 4_000,
};
const alert = (changes: Partial<PushEventBody> = {}): PushEventBody => ({
  type: 'watchlist.alert',
  id: 'msg_1',
  timestamp: '2026-11-21T05:30:00Z',
  alert_type: 'rug_pull',
  severity: 'critical',
  token: { address: TOKEN, name: 'Moon Pepe', symbol: 'MPEPE' },
  data: { type: 'rug_pull', recommendation: 'SELL_IMMEDIATELY' },
  ...changes,
});
const named = (name: string): PushEventBody =>
  alert({ token: { address: TOKEN, name, symbol: '' } });
const textOf = (events: readonly PushEventBody[], changes: Partial<Reader> = {}): string =>
  alertText(events, { ...READER, ...changes }).text;

describe('alertText', () => {
  it('says what happened, what to do and where to look, in the language of its reader', () => {
    const link = `https://api.test/token/${TOKEN}`;
    assert.equal(
      textOf([alert()]),
      `CRITICAL · Rug pull · Moon Pepe (MPEPE)\nSell immediately.\n${link}`,
    );
    assert.equal(
      textOf([alert()], { language: 'zh' }),
      `严重 · 撤池跑路 · Moon Pepe (MPEPE)\n立即卖出。\n${link}?lang=zh`,
    );
  });

  it('says the details in words, in a digest the first of them', () => {
    const details = {
      price_change: -0.6123,
      window_seconds: 3_600,
      liquidity_usd: 1_200.5,
      pool: TOKEN,
      tx_hash: null,
    };
    const data = { type: 'price_drop', recommendation: 'MONITOR', details };
    const link = `https://api.test/token/${TOKEN}`;
    const one = alert({ alert_type: 'price_drop', severity: 'warning', data });
    const lines = [
      'WARNING · Price drop · Moon Pepe (MPEPE)',
      'Keep watching it.',
      'Change of the price: -61.23%',
      'Within: 1 hour',
      'Liquidity: $1,200.50',
      link,
    ];
    assert.equal(textOf([one]), lines.join('\n'));
    const entry = `${lines[0]}\n${lines[2]} · ${lines[3]}\n${link}`;
    assert.equal(textOf([one, one]).split('\n\n')[1], entry);
    assert.equal(textOf([one], { lengthMax: 100 }), [lines[0], lines[1], link].join('\n'));
    const inDiscord = textOf([one], chatService('discord'));
    assert.ok(inDiscord.includes('Change of the price\\: \\-61\\.23\\%'), inDiscord);
    const withdrawn = textOf([{ ...one, alert_type: 'alert_withdrawn' }]);
    assert.equal(withdrawn.split('\n').length, 2, 'what did not happen has no details');
    const odd = textOf([alert({ data: { type: 'rug_pull', details: 'none' } })]);
    assert.equal(odd.split('\n').length, 2);
  });

  it('leads to the wallet where an alert is about a wallet alone', () => {
    const data = { type: 'cluster_activity', details: { activity: 'changed', wallet: TOKEN } };
    const about = { alert_type: 'cluster_activity', data } as const;
    assert.match(textOf([alert(about)]), new RegExp(`\nhttps://api.test/wallet/${TOKEN}$`));
    const token = { address: `0x${'cd'.repeat(20)}`, name: 'Moon', symbol: '' } as const;
    assert.match(textOf([alert({ ...about, token })]), /\nhttps:\/\/api.test\/token\/0xcdcd/);
  });

  it('gives the advice of a verdict in its own sentence', () => {
    const data = Buffer.from(JSON.stringify(sampleScore()));
    const [event] = eventsOf({ subject: scoreSubject(1, TOKEN), data, messageId: 'score:1' });
    const body = JSON.parse(event?.body ?? '') as PushEventBody;
    assert.match(textOf([body]), /^CRITICAL · Scam · Moon Pepe \(MPEPE\)\nDo not buy\.\nhttps:/);
    assert.match(textOf([body], { language: 'es' }), /^CRÍTICO · Estafa/);
  });

  it('says that an alert was withdrawn, without advice', () => {
    const withdrawn = alert({ alert_type: 'alert_withdrawn', severity: 'info' });
    assert.match(
      textOf([withdrawn]),
      /^INFO · Withdrawn by a reorganisation of the chain · Rug pull · Moon Pepe \(MPEPE\)\nhttps:/,
    );
  });

  it('knows a phrase for every kind of alert, severity and recommendation', () => {
    const others = ['alert_withdrawn', 'scam_detected', 'analysis.completed', 'analysis.failed'];
    for (const name of [...ALERT_TYPES, ...others, ...SEVERITIES, ...RECOMMENDATIONS]) {
      assert.ok(isAlertPhrase(name), `alerts.json lacks ${name} among its messages`);
    }
    for (const language of LANGUAGES) {
      const test = alert({ type: 'webhook.test', alert_type: 'test' });
      assert.ok(textOf([test], { language }).length > 10, language);
    }
    assert.match(textOf([alert({ alert_type: 'of a newer release' })]), /· of a newer release ·/);
  });

  it('makes a digest of several: counts, the most serious by name, and how many more', () => {
    const events = [
      ...Array.from({ length: 12 }, (_, n) =>
        alert({ severity: 'info', timestamp: `2026-11-21T05:30:${n + 10}Z` }),
      ),
      alert({ severity: 'warning', alert_type: 'price_drop' }),
      alert(),
    ];
    const parts = textOf(events).split('\n\n');
    assert.equal(parts[0], 'Alerts: 14 (critical 1, warning 1, info 12)');
    assert.match(parts[1] ?? '', /^CRITICAL · Rug pull/);
    assert.match(parts[2] ?? '', /^WARNING · Price drop/);
    assert.equal(parts.length, 12);
    assert.equal(parts[11], 'More: 4. https://api.test/dashboard/alerts');
  });

  it('stays within the length that a service takes', () => {
    const events = Array.from({ length: 500 }, () => named('ж'.repeat(200)));
    for (const kind of CHAT_KINDS) {
      const { escape, lengthMax } = chatService(kind);
      const text = textOf(events, { escape, lengthMax, language: 'ru' });
      assert.ok(text.length <= lengthMax && text.length > lengthMax / 3, `${kind}: ${text.length}`);
      assert.match(text, /Ещё: 49\d\. https:/);
    }
  });
});

describe('names that strangers chose', () => {
  it('become no links, mentions, commands or second lines', () => {
    assert.equal(plainName('visit claim-eth.com now'), 'visit claim-eth[.]com now');
    assert.equal(plainName('a\r\nBcc: x@y.example\u2028b'), 'a Bcc: x(at)y[.]example b');
    assert.equal(plainName('\u202eevil\u200b\u0000'), 'evil');
    assert.equal(plainName('x'.repeat(100)), `${'x'.repeat(40)}…`);
    assert.equal(plainName('Pepe 2.0'), 'Pepe 2.0');
  });

  it('are escaped in the markup of each service', () => {
    const hostile = '<!channel> <@U1> *b* [a](https://x) `c` & @everyone';
    const through = (kind: 'slack' | 'discord' | 'telegram'): string =>
      textOf([named(hostile)], chatService(kind)).split('\n')[0] ?? '';
    const slack = through('slack');
    assert.ok(slack.includes('&lt;!channel&gt; &lt;(at)U1&gt;'), slack);
    assert.ok(!/[<>@]/.test(slack), slack);
    const discord = through('discord');
    assert.ok(discord.includes('\\<\\!channel\\>') && discord.includes('\\[a\\]\\('), discord);
    const { body } = chatService('discord').post('/p', '', 'x');
    assert.deepEqual(body, { content: 'x', allowed_mentions: { parse: [] }, flags: 4 });
    assert.ok(!('parse_mode' in chatService('telegram').post('t', '-1', 'x').body));
  });

  it('put no field into the head of a mail', () => {
    const { title } = alertText([named('x\r\nBcc: all@example.org')], READER);
    assert.equal(title, 'CRITICAL · Rug pull · x Bcc: all(at)example[.]org');
  });
});

describe('chat services', () => {
  it('say how long to wait and whether anything is left to send to', () => {
    const of = (kind: 'slack' | 'discord' | 'telegram', status: number, answer: unknown) => {
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      const { error, retryAfterMs, isGone } = readRefusal(kind)(status, text);
      return [error, retryAfterMs, isGone];
    };
    const wait = {
      description: 'Too Many Requests: retry after 7',
      parameters: { retry_after: 7 },
    };
    assert.deepEqual(of('telegram', 429, wait), ['Too Many Requests: retry after 7', 7_000, false]);
    const limited = { message: 'You are being rate limited.', retry_after: 0.25, global: false };
    assert.deepEqual(of('discord', 429, limited), ['You are being rate limited.', 250, false]);
    const blocked = { description: 'Forbidden: bot was blocked by the user' };
    assert.deepEqual(of('telegram', 403, blocked).slice(1), [null, true]);
    const noChat = { description: 'Bad Request: chat not found' };
    assert.deepEqual(of('telegram', 400, noChat).slice(1), [null, true]);
    assert.deepEqual(of('telegram', 400, { description: 'Bad Request: too long' })[2], false);
    assert.deepEqual(of('discord', 404, { message: 'Unknown Webhook' }).slice(1), [null, true]);
    assert.deepEqual(of('slack', 404, 'no_service'), ['no_service', null, true]);
    assert.deepEqual(of('slack', 500, ''), ['non-2xx', null, false]);
    assert.deepEqual(of('discord', 502, '<html>\u0000</html>'), ['<html> </html>', null, false]);
    assert.deepEqual(of('discord', 429, { retry_after: -1 }), ['non-2xx', null, false]);
  });

  it('are known by the URLs of their hooks alone', () => {
    const slack = 'https://hooks.slack.com/services/T00000000/B00000000/abcdEFGH';
    assert.equal(hookPathOf('slack', slack), '/services/T00000000/B00000000/abcdEFGH');
    const discord = 'https://discord.com/api/webhooks/123456789012345678/ab_c-D';
    assert.equal(hookPathOf('discord', discord), '/api/webhooks/123456789012345678/ab_c-D');
    for (const url of [
      slack.replace('https', 'http'),
      slack.replace('hooks.slack.com', 'hooks.slack.com.evil.example'),
      slack.replace('hooks.slack.com', 'hooks.slack.com@evil.example'),
      slack.replace('T00000000', '..'),
      `${slack}?x=1`,
      `${slack}#x`,
      discord,
    ]) {
      assert.equal(hookPathOf('slack', url), undefined, url);
    }
    assert.equal(hookPathOf('discord', `${discord}/github`), undefined);
  });
});
