import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import type { VerdictDoc, VerdictHolders } from '../../shared/messages/verdictDoc.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { sampleAlert, sampleScore } from '../../shared/testing/samples.ts';
import { startTcpProxy } from '../../shared/testing/tcpProxy.ts';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { createFeedbackStore } from '../feedback/feedbackStore.ts';
import { addressOf, verdictOf } from '../testing/fakePorts.ts';
import { createFormClient, linkIn, PASSWORD, readMails, signUp } from '../testing/formClient.ts';
import {
  insertAlert,
  insertMarket,
  insertPool,
  insertToken,
  insertVerdict,
} from '../testing/rows.ts';
import { fillTables, KNOWN } from '../testing/sampleAccount.ts';
import { API_CHAIN_ID, eventually, startApi } from '../testing/startApi.ts';
import { DESKTOP, openPage, SMALL_PHONE, startBrowser } from '../testing/startBrowser.ts';

const MARKUP = '<img src=x onerror="document.title=\'owned\'">';
const TURNED = '\u202egnp.exe\u202c';
/** A base token of the chain. */
const WETH = '0x700b6a60ce7eaaea56f065753d8dcb9653dbad35';
const hostile = addressOf(0x66);
const turned = addressOf(0x67);

const LOCK = {
  kind: 'liquidity',
  locker: addressOf(0x10),
  lock_id: '1',
  asset: addressOf(0x11),
  position: null,
  market: addressOf(0x11),
  owner: addressOf(0x12),
  amount: '1000',
  share: 0.75,
  locked_at_s: 1_700_000_000,
  locked_tx: '',
  unlock_at_s: 1_900_000_000,
  extended: 2,
  withdrawn: '0',
  state: 'locked',
  belief: 'code',
} as const;

const HOLDERS: VerdictHolders = {
  buyers: 30,
  sellers: 13,
  buyers_since_sale: 2,
  failed_sellers: 1,
  last_sale_s: 1_700_000_000,
  sales: [`0x${'c'.repeat(64)}`],
  trials: {
    block_number: 7,
    sold: [addressOf(0x13), addressOf(0x14)],
    refused: [addressOf(0x15)],
    tax: { lowest: 0.01, mean: 0.03, highest: 0.05 },
  },
};

const FRAMEWORKS: VerdictDoc['frameworks'] = [
  { name: 'EIP-1167 proxy', marks: 1, of: 1, implementation: addressOf(0x16) },
  { name: 'OpenZeppelin Contracts 5', marks: 8, of: 11, implementation: addressOf(0x16) },
];

const fill = async (database: Parameters<typeof fillTables>[0]): Promise<void> => {
  await fillTables(database);
  const analyzedAtMs = Date.now();
  const verdicts = [
    verdictOf(hostile, { name: MARKUP, symbol: MARKUP, analyzedAtMs }),
    verdictOf(turned, {
      name: TURNED,
      symbol: TURNED,
      analyzedAtMs,
      doc: {
        ...verdictOf(turned).doc,
        shap_values: { 'check:liquidity_drained': 3.476, lpRemovedShare: -0.00009499 },
        locks: [LOCK],
        holders: HOLDERS,
        frameworks: FRAMEWORKS,
      },
    }),
  ];
  for (const verdict of verdicts) await insertVerdict(database, API_CHAIN_ID, verdict);
};

const valuesOf = (options: readonly { getAttribute: (name: string) => string | null }[]) =>
  options.map((option) => option.getAttribute('value') ?? '');

/**
 * Two or more consecutive English words on a Russian or Chinese page; names chosen by others and addresses are
 * ignored.
 */
const englishIn = (html: string): string[] => {
  const body = html
    .replace(/<head>[^]*<\/head>/, '')
    .replace(/<(bdi|code)\b[^>]*>[^]*?<\/\1>/g, ' … ')
    .replace(/<nav class="languages"[^]*?<\/nav>/, '')
    .replaceAll('Token Scam Detection', '');
  const attributes = /\b(?:aria-label|placeholder|alt|data-words)="([^"]*)"/g;
  const shown = [...body.matchAll(attributes)].map(([, text = '']) => text);
  return [body.replace(/<[^>]*>/g, '\n'), ...shown.map((text) => text.replace(/"|&quot;/g, '\n'))]
    .join('\n')
    .split('\n')
    .flatMap((line) => line.match(/[A-Za-z]{2,}(?:[ ’-]+[A-Za-z]{2,})+/g) ?? []);
};

describe('dashboard', () => {
  const mailFolder = tempFolder();
  let api: Awaited<ReturnType<typeof startApi>>;
  let browser: Browser;

  before(async () => {
    [api, browser] = await Promise.all([
      startApi({ MAIL_DIR: mailFolder, OPERATORS: 'operator@example.org', PLAN_GATE: '0' }),
      startBrowser(),
    ]);
    await fill(api.database);
  });
  after(async () => {
    await browser?.close();
    await api?.close();
  });

  const mailTo = (email: string, subject: RegExp) =>
    eventually(
      async () => readMails(mailFolder).findLast((m) => m.to === email && subject.test(m.subject)),
      (mail) => mail !== undefined,
    );

  /** A page of a signed-in user, and how they create a key: without the browser, except in one test. */
  const openAs = async (email: string) => {
    const client = createFormClient(api.baseUrl);
    await signUp(client, mailFolder, email);
    const opened = await openPage(browser, api.baseUrl);
    // Chromium accepts cookies for encrypted connections only, unless configured otherwise.
    const url = api.baseUrl.replace('http:', 'https:');
    const cookies = [...client.cookies].map(([name, value]) => ({
      name,
      value,
      url,
      secure: true,
    }));
    await opened.context.addCookies(cookies);
    const createKey = async (): Promise<string> => {
      const { text } = await client.submit('/dashboard/keys', {
        name: 'bot',
        tier: 'pro',
        expiry: '0',
      });
      return /tsd_live_[0-9A-Za-z]{36}/.exec(text)?.[0] ?? assert.fail(text);
    };
    return { ...opened, createKey };
  };

  it('leads from signing up to a key, its use, its successor and its end', async () => {
    const { context, page, problems } = await openPage(browser, api.baseUrl);
    const email = 'ada@example.org';
    await page.goto('/dashboard/sign-up');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    const mail = await mailTo(email, /confirm/i);
    await page.goto(linkIn(mail?.text ?? ''));
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByText('Welcome. Create an API key to begin.').waitFor();
    await page.goto('/dashboard/keys');
    await page.getByLabel('Name').fill('trading bot');
    await page.getByLabel('Tier').selectOption('pro');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.locator('#secret').textContent()) ?? '';
    assert.match(key, /^tsd_live_[0-9A-Za-z]{36}$/);
    assert.equal((await api.call('/tokens', { key })).status, 200);
    assert.equal((await api.call('/tokens', { key })).status, 200);
    const used = await eventually(
      async () => {
        await page.goto('/dashboard/keys');
        return page.locator('#requests-today').textContent();
      },
      (text) => text === '2',
    );
    assert.equal(used, '2');
    assert.equal(await page.getByText(key).count(), 0, 'a key is shown once');

    await page.getByText('Rotate or revoke').click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const successor = (await page.locator('#secret').textContent()) ?? '';
    assert.equal((await api.call('/tokens', { key })).status, 401);
    assert.equal((await api.call('/tokens', { key: successor })).status, 200);

    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto('/dashboard/keys');
    await page.getByText('Rotate or revoke').click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked.').waitFor();
    assert.equal((await api.call('/tokens', { key: successor })).status, 401);
    await page.goto('/dashboard/account');
    const session = page.locator('bdi[title^="Mozilla/5.0"]');
    assert.match(await session.innerText(), /^[A-Z][\w ]+ \d+ on Linux$/);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('walks from the feed to a token, its creator and the ring', async () => {
    const { context, page, problems } = await openAs('eve@example.org');
    await page.goto('/dashboard');
    await page.locator(`a[href="/token/${KNOWN.token}"]`).first().click();
    await page.getByRole('heading', { name: 'Checks' }).waitFor();
    await page.locator('.network svg').first().waitFor();
    assert.equal(await page.locator('.verdict-word').innerText(), 'Do not buy.');
    await page.getByText('Can you sell it?').first().waitFor();
    await page.getByRole('link', { name: 'Español' }).click();
    assert.equal(await page.locator('.verdict-word').innerText(), 'No compre.');
    await page.goBack();
    await page.locator(`main .heading a[href="/wallet/${KNOWN.creator}"]`).click();
    await page.getByRole('heading', { name: 'Wallet' }).waitFor();
    await page.locator(`a[href="/ring/${KNOWN.cluster}"]`).click();
    await page.getByRole('heading', { name: 'Evidence' }).waitFor();
    await page.getByRole('link', { name: '中文' }).click();
    await page.getByRole('heading', { name: '证据' }).waitFor();
    assert.match(await page.locator('nav.side').innerText(), /关注列表/);
    await page.locator(`a[href="/wallet/${KNOWN.creator}?lang=zh"]`).first().click();
    await page.getByRole('heading', { name: '钱包' }).waitFor();
    await page.goto(`/ring/${KNOWN.cluster}`);
    await page.locator('#find').fill('calm coin');
    await page.locator('#find').press('Enter');
    await page.getByRole('heading', { name: 'CALM' }).waitFor();
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('links the wallets of a network, but no pool, which has no page, and says amounts as the reader does', async () => {
    const { context, page, problems } = await openPage(browser, api.baseUrl);
    const pool = addressOf(0xf001);
    const nodes = [
      { address: KNOWN.creator, kind: 'wallet', label: KNOWN.creator },
      { address: pool, kind: 'wallet', label: `Pool ${pool}` },
    ];
    const edge = { source: KNOWN.creator, target: pool, type: 'transferred', weight: 1 };
    const edges = [{ ...edge, valueUsd: 77_400 }];
    await page.route('**/network/*', (route) => route.fulfill({ json: { nodes, edges } }));
    await page.goto(`/wallet/${KNOWN.creator}?lang=ru`);
    await page.locator('.network text', { hasText: 'Pool' }).first().waitFor();
    const linked = (address: string) =>
      page.locator(`.network-card a[href^="/wallet/${address}"]`).count();
    assert.deepEqual([await linked(KNOWN.creator), await linked(pool)], [2, 0]);
    const table = await page.locator('.network-card table').textContent();
    assert.match(table ?? '', /77,4\sтыс\.\s\$/);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('leads from the address of a pool to the token that is traded there, or to the tokens', async () => {
    const { token, otherToken, stranger } = KNOWN;
    const [ofOne, ofTwo, ofNone] = [addressOf(0xf1), addressOf(0xf2), addressOf(0xf3)];
    const id: Hex = `0x${'ab'.repeat(32)}`;
    await insertPool(api.database, API_CHAIN_ID, { pool: ofOne, token, other: stranger });
    await insertPool(api.database, API_CHAIN_ID, { pool: ofTwo, token, other: otherToken });
    await insertPool(api.database, API_CHAIN_ID, {
      pool: ofNone,
      token: stranger,
      other: WETH,
    });
    const sides = { factory: ZERO_ADDRESS, token0: token, token1: ZERO_ADDRESS };
    await insertMarket(api.database, API_CHAIN_ID, {
      protocol: 'uniswap_v4',
      market: id,
      ...sides,
    });
    const { context, page, problems } = await openPage(browser, api.baseUrl);
    const lookUp = async (text: string): Promise<string> => {
      await page.goto('/?lang=es');
      await page.getByRole('searchbox').fill(text);
      await page.getByRole('button', { name: 'Comprobar' }).click();
      return new URL(page.url()).pathname;
    };
    for (const pool of [ofOne, id]) {
      assert.equal(await lookUp(pool.toUpperCase().replace('X', 'x')), `/token/${token}`);
      assert.match(
        await page.locator('.note').innerText(),
        new RegExp(`^Buscó un pool.*${pool}`, 's'),
      );
      await page.goto(`/token/${pool}`);
      assert.equal(new URL(page.url()).pathname, `/token/${token}`);
      assert.match(await page.locator('.note').innerText(), /^You looked up a pool/);
    }
    assert.equal(await lookUp(ofTwo), '/search');
    const found = await page.locator('#found').innerText();
    assert.match(found, /Es un pool[^]*MPEPE[^]*CALM|Es un pool[^]*CALM[^]*MPEPE/);
    await page.goto(`/token/${ofTwo}`);
    assert.equal(new URL(page.url()).searchParams.get('q'), ofTwo);
    await context.close();
    assert.deepEqual(problems, []);
    const unknown = await fetch(`${api.baseUrl}/token/${ofNone}`);
    assert.equal(unknown.status, 404);
    assert.match(await unknown.text(), new RegExp(`Not known yet[^]*${stranger}[^]*${ofNone}`));
    const untrue = await fetch(`${api.baseUrl}/token/${token}?pool=${ofNone}`);
    assert.doesNotMatch(await untrue.text(), /You looked up a pool/);
  });

  it('says in four languages what an address looks like, what is locked, and what this is', async () => {
    for (const path of ['/token/0x12', '/wallet/0x12', '/search?q=0x12', '/ring/nothing']) {
      const answer = await fetch(`${api.baseUrl}${path}`);
      assert.equal(answer.status, path.startsWith('/search') ? 200 : 404, path);
      assert.match(await answer.text(), /(0x and 40|cl_ and 16) hexadecimal digits/, path);
    }
    const words = {
      ru: /<h1>Не найдено/,
      es: /Una dirección es 0x y 40/,
      zh: /地址是 0x 加 40 位十六进制数字/,
    };
    for (const [language, word] of Object.entries(words)) {
      const answer = await fetch(`${api.baseUrl}/token/0x12?lang=${language}`);
      assert.match(await answer.text(), word);
    }
    const locked = await fetch(`${api.baseUrl}/token/${turned}?lang=ru`);
    const page = await locked.text();
    assert.match(page, /75.*% ликвидности<\/strong> заблокировано до 2030-03-17/);
    assert.match(page, /удаются 2 из 3/);
    assert.match(page, /от 1.*% до 5.*%/);
    assert.match(page, /OpenZeppelin Contracts 5<\/bdi> <span class="faint">8 из 11 признаков</);
    assert.ok(page.includes(`Исполняет код контракта <code>${addressOf(0x16)}</code>`));
    const wallet = await fetch(`${api.baseUrl}/wallet/${KNOWN.creator}?lang=es`);
    assert.match(await wallet.text(), /class="level critical">CRÍTICO</);
    const front = await fetch(`${api.baseUrl}/?lang=zh`);
    assert.match(await front.text(), /<h1>这个代币是骗局吗？/);
    for (const path of [
      '/?',
      `/token/${KNOWN.token}?`,
      `/token/${turned}?`,
      `/token/${KNOWN.stranger}?`,
      `/wallet/${KNOWN.creator}?`,
      `/wallet/${KNOWN.stranger}?`,
      `/ring/${KNOWN.cluster}?`,
      '/ring/nothing?',
      '/search?q=pepe&',
      '/search?q=nothing-like-it&',
      '/search?q=0x12&',
      '/search?',
    ]) {
      for (const language of ['ru', 'zh']) {
        const answer = await fetch(`${api.baseUrl}${path}lang=${language}`);
        assert.deepEqual(englishIn(await answer.text()), [], `${path}lang=${language}`);
      }
    }
  });

  it('documents the API without an error, and asks no other server for anything', async () => {
    const { context, page, problems } = await openPage(browser, api.baseUrl);
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (/^https?:$/.test(protocol) && origin !== api.baseUrl) elsewhere.push(request.url());
    });
    for (const [path, sight] of [
      ['/redoc', '.menu-content [role="menuitem"]'],
      ['/docs/errors', 'h1'],
      ['/docs', '.opblock-tag'],
    ] as const) {
      await page.goto(path);
      await page.locator(sight).first().waitFor();
      // Redoc hides its logo once the browser has failed to load it.
      await page.locator('img[alt="redocly logo"]').waitFor({ state: 'detached' });
      // All resources for rendering were requested once the page is idle.
      await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
    }
    const isDark = page.locator('html.dark-mode');
    await page.emulateMedia({ colorScheme: 'dark' });
    await isDark.waitFor({ state: 'attached' });
    await page.emulateMedia({ colorScheme: 'light' });
    await isDark.waitFor({ state: 'detached' });
    assert.deepEqual([problems, elsewhere], [[], []]);
    await context.close();
  });

  it('shows the names of tokens as text, whatever they hold', async () => {
    const visitor = await openPage(browser, api.baseUrl);
    const { context, page, problems } = await openAs('mallory@example.org');
    for (const [reader, paths] of [
      [visitor.page, ['/', `/token/${hostile}`, '/search?q=img']],
      [page, ['/dashboard', '/dashboard/tokens', `/token/${hostile}`]],
    ] as const) {
      for (const path of paths) {
        await reader.goto(path);
        assert.equal(await reader.locator('main img').count(), 0);
        assert.notEqual(await reader.title(), 'owned');
        assert.ok((await reader.locator('main').innerText()).includes('<img src=x'), path);
      }
    }
    assert.deepEqual(visitor.problems, []);
    await visitor.context.close();
    await page.goto(`/token/${turned}`);
    const market = {
      unit: MARKUP,
      times: [1_700_000_000, 1_700_090_000],
      prices: [1.23456789e-12, 2e-12],
      liquidity: [0.00001, 123_456_789],
      volumeOfDay: 1_234.5,
      moves: [{ atS: 1_700_000_000, isRemoval: false }],
      turns: [{ atS: 1_700_090_000, to: 'SCAM' }],
    };
    await page.route('**/market.json', (route) => route.fulfill({ json: market }));
    await page.setViewportSize(SMALL_PHONE);
    await page.goto(`/token/${turned}?lang=ru`);
    const lines = await page.locator('.chart .u-over').boundingBox();
    assert.ok((lines?.width ?? 0) > 150, `${lines?.width} px for the lines beside the axes`);
    assert.match(await page.locator('.u-legend').innerText(), /цена, <img src=x o/);
    assert.match(await page.locator('[data-volume]').innerText(), /^1,23\sтыс\. <img src=x o/);
    assert.equal(await page.locator('main img').count(), 0);
    await page.setViewportSize(DESKTOP);
    const shown = await page.locator('h1').innerText();
    assert.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(shown), 'nothing turns the direction of text');
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('shows verdicts and alerts as they come, without a reload', async () => {
    const { context, page, problems, createKey } = await openAs('live@example.org');
    const key = await createKey();
    const me = await api.call('/watchlist', { key });
    assert.equal(me.status, 200);
    await page.goto('/dashboard');
    await page.locator('#feed').waitFor();
    const { connection } = api;
    const token = addressOf(0x77);
    const score = sampleScore({ chainId: API_CHAIN_ID, token, name: 'Fresh', symbol: 'FRESH' });
    const row = page.locator(`#feed a[href="/token/${token}"]`);
    // The page subscribes a moment after it is loaded: an earlier event is on the next page.
    await eventually(
      async () => {
        connection.publish(`score.${API_CHAIN_ID}.${token}`, JSON.stringify(score));
        await connection.flush();
        return row.count();
      },
      (count) => count > 0,
    );
    await page.goto(`/token/${KNOWN.otherToken}`);
    await page.goto(`/dashboard/dispute/${KNOWN.otherToken}?lang=zh`);
    assert.deepEqual(englishIn(await page.locator('main').innerHTML()), [], 'the form of disputes');
    await page.goto(`/token/${KNOWN.otherToken}`);
    await page.getByRole('link', { name: 'This is wrong' }).click();
    await page.getByLabel('Why').fill('It was sold at block 5 and the pool paid for it.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you. The token is analysed again').waitFor();
    const disputes = createFeedbackStore({
      redis: api.cache,
      chainId: API_CHAIN_ID,
      clock: systemClock,
    });
    const [dispute] = await disputes.all();
    assert.ok(dispute);
    await page.goto(`/dashboard/dispute/${KNOWN.otherToken}`);
    await page.getByText('not answered yet').waitFor();
    await disputes.resolve(dispute.id, {
      status: 'rejected',
      resolution: 'Only its <owner> sold.',
    });
    await page.reload();
    await page.getByText('Answer: Only its <owner> sold.').waitFor();
    await page.goto(`/token/${KNOWN.token}`);
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.getByText('Watching.').waitFor();
    const family = (await page.locator('input[name="family"]').first().inputValue()) ?? '';
    const about = { address: KNOWN.token, name: 'Moon Pepe', symbol: 'MPEPE' };
    const alert = sampleAlert({ chainId: API_CHAIN_ID, family, token: about });
    await insertAlert(api.database, alert);
    await page.goto('/dashboard/alerts');
    await eventually(
      async () => {
        connection.publish(
          `alert.${family}`,
          JSON.stringify({ v: 1, eventId: `msg_${'0'.repeat(26)}`, state: 'raised', alert }),
        );
        await connection.flush();
        return page.locator('#live-alerts .live-alert').count();
      },
      (count) => count > 0,
    );
    await page.getByRole('button', { name: 'Mark read' }).first().click();
    await page.getByText('0 unread.').waitFor();
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('says what is known of alerts in words, whatever they hold, and calls their tokens by name', async () => {
    const { context, page, problems, createKey } = await openAs('words@example.org');
    const key = await createKey();
    const body = { type: 'token', address: KNOWN.token, alerts: [] };
    assert.equal((await api.call('/watchlist', { key, method: 'POST', body })).status, 201);
    await page.goto('/dashboard/watchlist');
    await page.getByText('none: this address raises no alerts').waitFor();
    const family = (await page.locator('input[name="family"]').first().inputValue()) ?? '';
    const owner = addressOf(0x71);
    const later = addressOf(0x72);
    const unnamed = { name: '0x0000…0072', symbol: '' };
    const alerts = [
      {
        type: 'ownership_change',
        severity: 'info',
        recommendation: 'NO_ACTION',
        token: { address: hostile, name: MARKUP, symbol: MARKUP },
        details: {
          renounced: true,
          previous_owner: owner,
          new_owner: ZERO_ADDRESS,
          locker: MARKUP,
        },
      },
      {
        type: 'rug_pull',
        token: { address: later, ...unnamed },
        details: { liquidity_change: -0.973_333, liquidity_before_usd: 30_200.5, newer: MARKUP },
      },
      {
        type: 'cluster_activity',
        token: { address: owner, ...unnamed },
        details: { activity: 'merged', wallet: owner, cluster_id: KNOWN.cluster, size: 3 },
      },
    ] as const;
    for (const [place, changes] of alerts.entries()) {
      const about = { chainId: API_CHAIN_ID, family, id: place + 1, ...changes };
      await insertAlert(api.database, sampleAlert(about));
    }
    await page.goto('/dashboard/alerts');
    const main = page.locator('main');
    for (const details of await main.locator('summary').all()) await details.click();
    const shown = await main.innerText();
    for (const words of [
      'Nothing has to be done.',
      'Ownership given up: yes · New owner: nobody',
      'Change of the liquidity: -97.33% · Liquidity before: $30,200.50',
      'What the ring did: it merged with another ring',
      '<img src=x onerror=',
    ]) {
      assert.ok(shown.includes(words), `${words} in ${shown}`);
    }
    assert.doesNotMatch(shown, /[a-z]_[a-z]/, 'no name of a field');
    assert.equal(await main.locator('img').count(), 0);
    assert.equal(await main.locator(`a[href="/wallet/${owner}"]`).count(), 3);
    assert.equal(await main.locator(`a[href="/ring/${KNOWN.cluster}"]`).count(), 1);
    const link = main.locator(`a[href="/token/${later}"]`);
    assert.equal(await link.innerText(), unnamed.name);
    await insertToken(api.database, API_CHAIN_ID, { token: later, creator: owner, createdAtS: 1 });
    for (const language of ['ru', 'zh']) {
      await page.goto(`/dashboard/alerts?lang=${language}`);
      assert.deepEqual(englishIn(await main.innerHTML()), [], language);
    }
    await page.goto('/dashboard/alerts');
    assert.equal(await link.innerText(), 'SAMPLE', 'the name was read in the meantime');
    const listed = await api.call('/alerts', { key });
    const named = listed.body.data.alerts.map((one: { token: unknown }) => one.token);
    assert.ok(JSON.stringify(named).includes('"symbol":"SAMPLE"'), JSON.stringify(named));
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('says when the connection of the feed is lost, and when it is back', async (t) => {
    const proxy = await startTcpProxy(api.baseUrl);
    t.after(() => proxy.close());
    const { context, page } = await openAs('lost@example.org');
    const opened = page.waitForResponse((response) => response.url().endsWith('/dashboard/feed'));
    await page.goto(new URL('/dashboard', proxy.url).href);
    await opened;
    const [lost, back] = [/The connection is lost/, /Connected again/].map((text) =>
      page.getByText(text),
    );
    assert.deepEqual([await lost?.isVisible(), await back?.isVisible()], [false, false]);
    await proxy.setFault('refused');
    await lost?.waitFor();
    await proxy.setFault('none');
    await back?.waitFor();
    assert.equal(await lost?.isVisible(), false);
    await page.getByRole('link', { name: 'Load it again' }).click();
    await page.locator('#feed').waitFor();
    await back?.waitFor({ state: 'hidden' });
    await context.close();
  });

  it('speaks the language of the reader on pages of accounts, in mails, and where something fails', async () => {
    const { context, page } = await openPage(browser, api.baseUrl);
    const email = 'olga@example.org';
    await page.setViewportSize(SMALL_PHONE);
    await page.goto('/');
    await page.getByRole('link', { name: 'Русский' }).click();
    await page.getByRole('link', { name: 'Войти' }).click();
    await page.setViewportSize(DESKTOP);
    await page.getByRole('link', { name: 'Создать учётную запись' }).click();
    await page.getByLabel('Адрес почты').fill(email);
    await page.getByLabel('Пароль').fill('слабый');
    await page.getByRole('button', { name: 'Создать' }).click();
    await page.getByText('Пароль: не менее 8 знаков.').waitFor();
    await page.getByLabel('Пароль').fill(PASSWORD);
    await page.getByRole('button', { name: 'Создать' }).click();
    await page.getByRole('heading', { name: 'Проверьте почту' }).waitFor();
    const mail = await mailTo(email, /./);
    await page.goto(linkIn(mail?.text ?? ''));
    await page.getByLabel('Пароль').fill(PASSWORD);
    await page.getByRole('button', { name: 'Завершить' }).click();
    await page.getByText('Добро пожаловать.').waitFor();
    const english: Record<string, string[]> = {};
    const note = (place: string, html: string): void => {
      const found = englishIn(html);
      if (found.length > 0) english[place] = found;
    };
    const look = async (place: string) => note(place, await page.content());
    /** A page as the browser receives it, with its session. */
    const read = async (path: string): Promise<void> => {
      note(path, await page.evaluate(async (url) => (await fetch(url)).text(), path));
    };
    await look('no key yet');
    await page.goto('/dashboard/watchlist?lang=ru');
    await look('no family yet');
    await page.goto('/dashboard/keys?lang=ru');
    await page.getByLabel('Имя').fill('bot');
    await page.getByLabel('Уровень').selectOption('pro');
    await page.getByRole('button', { name: 'Создать' }).click();
    await page.getByText('Скопируйте сейчас').waitFor();
    await look('a new key');
    await page.goto(`/dashboard/watchlist?lang=ru`);
    await page.getByLabel('Адрес', { exact: true }).fill(KNOWN.token);
    await page.getByRole('button', { name: 'Следить' }).click();
    await page.getByText('Под наблюдением.').waitFor();
    await page.getByLabel('Адрес', { exact: true }).fill(KNOWN.token);
    await page.getByRole('button', { name: 'Следить' }).click();
    await page.getByText('Этот адрес уже под наблюдением.').waitFor();
    await look('watched twice');
    await page.goto('/dashboard/webhooks?lang=ru');
    await page.getByLabel('Куда', { exact: true }).selectOption('email');
    await page.getByLabel('Тишина с').fill('22:00');
    await page.getByRole('button', { name: 'Добавить' }).click();
    await page.getByText('Тишина до: нужно заполнить.').waitFor();
    await look('a refused target of alerts');
    await page.getByLabel('Тишина до').fill('07:00');
    await page.getByRole('button', { name: 'Добавить' }).click();
    await page.getByText('с 22:00 до 07:00').waitFor();
    await look('a target of alerts');
    for (const name of [
      '',
      '/tokens',
      '/rings',
      '/watchlist',
      '/alerts',
      '/webhooks',
      '/keys',
      '/usage',
      '/plans',
      '/account',
      '/account/second-factor',
      '/webhooks/wh_none',
      '/no-such-page',
    ]) {
      for (const language of ['ru', 'zh']) {
        await read(`/dashboard${name}?lang=${language}`);
      }
    }
    await page.goto('/dashboard/usage?lang=ru');
    await page.locator('.u-legend').waitFor();
    await look('the chart of use');
    await page.goto('/dashboard/account?lang=es');
    await page.getByRole('button', { name: 'Salir' }).click();
    await page.getByText('Ha salido de la cuenta.').waitFor();
    for (const name of [
      'sign-in',
      'sign-up',
      'forgot',
      'reset?token=x',
      'confirm?token=x',
      'second-factor',
      'identity',
      'mails/confirm?token=x',
      'mails/stop?token=x',
    ]) {
      await read(`/dashboard/${name}${name.includes('?') ? '&' : '?'}lang=zh`);
    }
    const foreign = await fetch(`${api.baseUrl}/dashboard/sign-in?lang=es`, {
      method: 'POST',
      body: new URLSearchParams({ email }),
    });
    assert.match(await foreign.text(), /Este formulario ha caducado/);
    assert.deepEqual(english, {});
    await context.close();
  });

  it('has no fault of accessibility on any page, and nothing is wider than a small phone', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const { context, page, createKey } = await openAs('operator@example.org');
    await createKey();
    const paths = [
      '/',
      '/dashboard',
      '/dashboard/tokens',
      `/token/${KNOWN.token}`,
      `/token/${turned}`,
      `/wallet/${KNOWN.creator}`,
      '/dashboard/rings',
      `/ring/${KNOWN.cluster}`,
      '/search?q=pepe',
      '/search?q=nothing-like-it',
      `/search?q=${'x'.repeat(128)}`,
      '/dashboard/watchlist',
      '/dashboard/alerts',
      '/dashboard/webhooks',
      '/dashboard/keys',
      '/dashboard/usage',
      '/dashboard/plans',
      '/dashboard/account',
      '/dashboard/account/second-factor',
      '/dashboard/operations',
      '/dashboard/no-such-page',
      `/dashboard/dispute/${KNOWN.token}`,
      `/token/${KNOWN.stranger}`,
    ];
    const faults: string[] = [];
    /** Only colours differ in dark mode. */
    const examine = async (place: string, isDark = false): Promise<void> => {
      await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
      // Scripts are injected by the debugger, to which the page's own policy does not apply.
      if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
      const rules = isDark ? "runOnly: ['color-contrast']," : '';
      const found = (await page.evaluate(`axe.run({ ${rules} resultTypes: ['violations'] })`)) as {
        violations: { id: string; impact: string; nodes: { html: string }[] }[];
      };
      for (const { id, impact, nodes } of found.violations) {
        const scheme = isDark ? 'dark' : 'light';
        faults.push(`${place} (${scheme}) ${id} (${impact}): ${nodes[0]?.html.slice(0, 160)}`);
      }
    };
    const check = async (path: string, hasDark: boolean): Promise<void> => {
      const missing = /.*\b(?:undefined|NaN)\b.*/.exec(await page.innerText('body'));
      if (missing) faults.push(`${path}: ${missing[0]}`);
      await examine(path);
      if (hasDark) await examine(path, true);
    };
    const fitsSmallPhone = async (place: string): Promise<void> => {
      await page.setViewportSize(SMALL_PHONE);
      await page.evaluate(
        "for (const part of document.querySelectorAll('details')) part.open = true",
      );
      const overflowPx = Number(
        await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
      );
      if (overflowPx !== 0) faults.push(`${place} is ${overflowPx} px wider than a small phone`);
      await page.setViewportSize(DESKTOP);
    };
    const showsPlaceInMenu = async (path: string): Promise<void> => {
      const here = page.locator('.side [aria-current]');
      const box = (await here.count()) > 0 ? await here.boundingBox() : undefined;
      if (box && (box.x < 0 || box.x + box.width > SMALL_PHONE.width)) {
        faults.push(
          `${path} is not seen in the menu of a small phone: ${box.x} to ${box.x + box.width} px`,
        );
      }
    };
    for (const [place, path] of paths.entries()) {
      await page.setViewportSize(SMALL_PHONE);
      await page.goto(path);
      await showsPlaceInMenu(path);
      await fitsSmallPhone(path);
      await check(path, place < 6);
    }
    await page.goto('/dashboard/webhooks');
    const to = page.getByLabel('To', { exact: true });
    for (const kind of await to.locator('option').evaluateAll(valuesOf)) {
      await to.selectOption(kind);
      await examine(`the form for ${kind}`);
      await fitsSmallPhone(`the form for ${kind}`);
    }
    await to.selectOption('email');
    await page.getByLabel('When').selectOption('daily');
    await page.getByLabel('Quiet from').fill('22:00');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('verdict.changed').check();
    await page.getByRole('button', { name: 'Add' }).click();
    await examine('the refused form');
    await fitsSmallPhone('the refused form');
    await page.getByLabel('Quiet until').fill('07:00');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('22:00 to 07:00 (Europe/Berlin)').waitFor();
    const shown = await page.locator('dl.facts').innerText();
    assert.match(
      shown,
      /one message a day[^]*verdict\.changed/,
      'what was typed before the refusal counts',
    );
    await examine('a target of alerts');
    await fitsSmallPhone('a target of alerts');
    await page.getByRole('button', { name: 'Sign out' }).click();
    for (const [path, hasDark] of [
      ['/', true],
      [`/token/${KNOWN.token}`, true],
      ['/dashboard/sign-in', false],
      ['/dashboard/sign-up', false],
      ['/dashboard/forgot', false],
      ['/dashboard/reset?token=x', false],
      ['/dashboard/confirm?token=x', false],
      ['/dashboard/mails/stop?token=x', false],
    ] as const) {
      await page.goto(path);
      await check(path, hasDark);
    }
    assert.deepEqual(faults, []);
    await context.close();
  });
});
