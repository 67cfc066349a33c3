import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Secret, TOTP } from 'otpauth';
import { jobKey } from '../../shared/messages/jobMessage.ts';
import { programArgs } from '../../shared/testing/pipelineProcess.ts';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import {
  createFormClient,
  type FormClient,
  linkIn,
  PASSWORD,
  readMails,
  signUp as signUpWith,
  tokenIn,
} from '../testing/formClient.ts';

import { eventually, startApi } from '../testing/startApi.ts';

const SESSION = '__Host-session';

describe('security of the dashboard', () => {
  const mailFolder = tempFolder();
  let api: Awaited<ReturnType<typeof startApi>>;

  before(async () => {
    api = await startApi({
      MAIL_DIR: mailFolder,
      OPERATORS: 'operator@example.org',
      RATE_PLANS: JSON.stringify({ pro: { price: '9 USD a month' } }),
    });
  });
  after(async () => {
    await api?.close();
  });
  // Attempts are counted by address, and all of these come from the same one.
  beforeEach(async () => {
    const counters = await api.cache.keys('throttle:*');
    if (counters.length > 0) await api.cache.del(...counters);
  });

  const client = (address?: string): FormClient => createFormClient(api.baseUrl, address);
  const mailsTo = (email: string) => readMails(mailFolder).filter(({ to }) => to === email);
  const newestMail = (email: string, count = 1) =>
    eventually(
      async () => mailsTo(email),
      (mails) => mails.length >= count,
    ).then((mails) => mails.at(-1)?.text ?? '');
  const signUp = async (email: string): Promise<FormClient> => {
    const browser = client();
    await signUpWith(browser, mailFolder, email);
    return browser;
  };
  const signIn = (browser: FormClient, email: string, password = PASSWORD, next = '') =>
    browser.submit('/dashboard/sign-in', { email, password, next });

  /** A wrong password from each of 200 addresses. */
  const tryFromMany = async (email: string) => {
    const answers = [];
    for (let address = 1; address <= 200; address += 1) {
      answers.push(await signIn(client(`127.0.3.${address}`), email, 'Wrong-Horse-77'));
    }
    return answers;
  };

  it('takes only passwords of four kinds of characters', async () => {
    for (const password of [
      'Sh0rt!',
      'nouppercase1!',
      'NOLOWERCASE1!',
      'NoDigits!!',
      'NoSpecial11',
    ]) {
      const answer = await client().submit('/dashboard/sign-up', {
        email: 'p@example.org',
        password,
      });
      assert.equal(answer.status, 400, password);
      assert.match(answer.text, /Password must (have|contain)/);
    }
    assert.equal(mailsTo('p@example.org').length, 0);
  });

  it('does not show whether an address has an account', async () => {
    await signUp('known@example.org');
    const answers = [];
    for (const email of ['known@example.org', 'unknown@example.org']) {
      const signedUp = await client().submit('/dashboard/sign-up', { email, password: PASSWORD });
      const forgot = await client().submit('/dashboard/forgot', { email });
      const wrong = await signIn(client(), email, 'Wrong-Horse-77');
      answers.push(
        [signedUp, forgot, wrong].map(({ status, text }) => [
          status,
          text.replaceAll(email, 'E').replaceAll(/value="[^"]*"/g, ''),
        ]),
      );
    }
    assert.deepEqual(answers[0], answers[1]);
    assert.match(await newestMail('known@example.org', 3), /Open this link within an hour/);
    assert.equal(mailsTo('unknown@example.org').length, 1, 'only the mail that confirms');
  });

  it('gives no one an account whose password somebody else knows', async () => {
    const attacker = client();
    await attacker.submit('/dashboard/sign-up', { email: 'v@example.org', password: PASSWORD });
    const token = tokenIn(await newestMail('v@example.org'));
    const victim = client();
    const opened = await victim.get(`/dashboard/confirm?token=${token}`);
    assert.equal(victim.cookies.has(SESSION), false, 'the link alone finishes nothing');
    const guessed = await victim.post('/dashboard/confirm', {
      _csrf: opened.csrf,
      token,
      password: 'Another-Horse-8',
    });
    assert.equal(guessed.status, 400);
    assert.equal((await signIn(attacker, 'v@example.org')).status, 401);
  });

  it('opens a new session at every sign-in and takes none that was planted', async () => {
    const owner = await signUp('fix@example.org');
    const first = owner.cookies.get(SESSION);
    const planted = 'A'.repeat(43);
    const browser = client();
    browser.cookies.set(SESSION, planted);
    assert.equal((await browser.get('/dashboard')).status, 303, 'a planted session opens nothing');
    await signIn(browser, 'fix@example.org');
    const second = browser.cookies.get(SESSION);
    assert.ok(second && second !== planted && second !== first);
    await signIn(browser, 'fix@example.org');
    // Already signed in: the form leads on, and the session remains.
    assert.equal((await browser.get('/dashboard/keys')).status, 200);
  });

  it('sets cookies that scripts, other hosts and plain connections do not get', async () => {
    const browser = client();
    const page = await browser.get('/dashboard/sign-in');
    await signUp('cookie@example.org');
    const answer = await signIn(browser, 'cookie@example.org');
    for (const line of [...page.headers.getSetCookie(), ...answer.headers.getSetCookie()]) {
      assert.match(line, /^__Host-/);
      for (const flag of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/']) {
        assert.ok(line.split('; ').includes(flag), `${flag} in ${line}`);
      }
      assert.ok(!/domain=/i.test(line));
    }
  });

  it('refuses forms that come from elsewhere', async () => {
    const browser = await signUp('csrf@example.org');
    const { csrf } = await browser.get('/dashboard/keys');
    const fields = { name: 'mine', tier: 'free', expiry: '0' };
    const foreign = await (await signUp('csrf2@example.org')).get('/dashboard/keys');
    const attempts = [
      browser.post('/dashboard/keys', fields),
      browser.post('/dashboard/keys', { ...fields, _csrf: foreign.csrf }),
      browser.post(
        '/dashboard/keys',
        { ...fields, _csrf: csrf },
        { origin: 'https://evil.example' },
      ),
      browser.post('/dashboard/keys', { ...fields, _csrf: csrf }, { origin: 'null' }),
      browser.post(
        '/dashboard/keys',
        { ...fields, _csrf: csrf },
        { 'sec-fetch-site': 'cross-site' },
      ),
      browser.post('/dashboard/sign-out', {}),
    ];
    for (const { status, text } of await Promise.all(attempts)) {
      assert.equal(status, 403);
      assert.doesNotMatch(text, /tsd_live_/);
    }
    assert.match((await browser.get('/dashboard/keys')).text, /No key yet/);
    assert.equal((await browser.post('/dashboard/keys', { ...fields, _csrf: csrf })).status, 200);
  });

  it('leads to no other site', async () => {
    await signUp('open@example.org');
    for (const next of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/dashboard//evil.example',
      '/dashboard/../../evil',
      'javascript:alert(1)',
      '/dashboardevil',
      '/dashboard/\r\nSet-Cookie: a=b',
    ]) {
      const answer = await signIn(client(), 'open@example.org', PASSWORD, next);
      assert.equal(answer.location, '/dashboard', next);
      await api.cache.del(...(await api.cache.keys('throttle:*')));
    }
    const wanted = await client().get('/dashboard/tokens?sort=risk_score');
    assert.equal(
      wanted.location,
      '/dashboard/sign-in?next=%2Fdashboard%2Ftokens%3Fsort%3Drisk_score',
    );
  });

  it('lets no one try passwords without end, and locks no one out for it', async () => {
    const owner = await signUp('brute@example.org');
    const attacker = client('127.0.0.2');
    const statuses: number[] = [];
    let last = { status: 0, text: '', headers: new Headers() };
    for (let attempt = 0; attempt < 12; attempt += 1) {
      last = await signIn(attacker, 'brute@example.org', `Wrong-Horse-${attempt}`);
      statuses.push(last.status);
    }
    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
    assert.ok(Number(last.headers.get('Retry-After')) >= 1);
    assert.match(last.text, /Too many attempts\. Try again in 15 minutes/);
    assert.equal(
      (await signIn(attacker, 'brute@example.org')).status,
      429,
      'not even the right one from there',
    );
    assert.equal((await signIn(client(), 'brute@example.org')).status, 303, 'the owner’s address');
    assert.equal((await signIn(client('127.0.0.3'), 'brute@example.org')).status, 303, 'a new one');
    const changed = await owner.submit(
      '/dashboard/account',
      { current: PASSWORD, password: 'Better-Horse-8' },
      '/dashboard/account/password',
    );
    assert.equal(changed.location, '/dashboard/account?done=password-changed', 'an open session');
  });

  it('bounds those who try from very many addresses, not the owner', async () => {
    const email = 'spread@example.org';
    await signUp(email);
    const tried = (await tryFromMany(email)).map(({ status }) => status);
    const wrong = tried.filter((status) => status === 401).length;
    assert.equal(tried.filter((status) => status === 429).length, tried.length - wrong);
    // A hundred attempts plus the one that finished the account, and one more for each nine seconds this takes.
    assert.ok(wrong >= 99 && wrong < 150, `${wrong} of ${tried.length} were tried`);
    assert.equal((await signIn(client(), email)).status, 303, 'the owner’s address');
    const away = client('127.0.1.1');
    await away.submit('/dashboard/forgot', { email });
    const token = tokenIn(await newestMail(email, 2));
    const fields = { token, password: 'Newest-Horse-9' };
    await away.submit(`/dashboard/reset?token=${token}`, fields, '/dashboard/reset');
    assert.equal(
      (await signIn(away, email, 'Newest-Horse-9')).status,
      303,
      'who reads the mail of the owner gets in from anywhere',
    );
  });

  it('does not show by the limits of attempts whether an address has an account', async () => {
    await signUp('limits@example.org');
    const answers = [];
    for (const email of ['limits@example.org', 'nobody@example.org']) {
      const one = client(`127.0.2.${answers.length + 1}`);
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 11; attempt += 1) {
        statuses.push((await signIn(one, email, 'Wrong-Horse-77')).status);
      }
      answers.push(statuses);
    }
    assert.deepEqual(answers[0], answers[1]);
  });

  it('sends alerts to mailboxes whose owners agreed, until they stop them', async () => {
    const email = 'alerts@example.org';
    const owner = await signUp(email);
    const account = await api.cache.get(`account-email:${email}`);
    await api.cache.hset(`account:${account}`, { plan: 'pro' });
    await owner.submit('/dashboard/keys', { name: 'k', tier: 'pro', expiry: '0' });
    const page = await owner.get('/dashboard/webhooks');
    const family = /name="family" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const add = (fields: Record<string, string>) =>
      owner.submit('/dashboard/webhooks', { family, events: 'watchlist.alert', ...fields });
    const hours = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' };
    const people = { language: 'es', digest: 'daily', ...hours };
    const missing = await add({ kind: 'telegram', url: 'https://x.example', ...people });
    assert.equal(missing.status, 400);
    assert.match(missing.text, /Token of the bot is required/);
    const half = await add({ kind: 'email', email, ...people, to: '' });
    assert.match(half.text, /Quiet until is required/);
    const friend = 'friend@example.org';
    const asked = await add({ kind: 'email', email: friend, ...people });
    assert.match(asked.location ?? '', /done=added$/);
    assert.match((await owner.get(asked.location ?? '')).text, /not confirmed/);
    const token = tokenIn(await newestMail(friend));
    const confirm = '/dashboard/mails/confirm';
    const agreed = await client().submit(`${confirm}?token=${token}`, { token }, confirm);
    assert.match(agreed.text, /Alerts will be sent/);
    const again = await client().submit(`${confirm}?token=${token}`, { token }, confirm);
    assert.equal(again.status, 400, 'the link works once');
    const own = await add({ kind: 'email', email, ...people });
    const place = (own.location ?? '').split('?')[0] ?? '';
    const before = mailsTo(email).length;
    await owner.submit(`${place}?family=${family}`, { family }, `${place}/test`);
    const test = await newestMail(email, before + 1);
    assert.match(test, /Esto es una prueba\. Los avisos llegarán aquí\./);
    const stopToken = decodeURIComponent(/stop\?token=([^&\s]+)&lang=es/.exec(test)?.[1] ?? '');
    const stop = '/dashboard/mails/stop';
    // As a mail program posts it: without cookies or a referring page (RFC 8058).
    const post = (path: string, words: string, isInParts: boolean) => {
      const fields = { 'List-Unsubscribe': words };
      const body = new URLSearchParams(fields);
      const parts = new FormData();
      parts.set('List-Unsubscribe', words);
      return fetch(`${api.baseUrl}${path}`, { method: 'POST', body: isInParts ? parts : body });
    };
    const address = `${stop}?token=${encodeURIComponent(stopToken)}`;
    const statuses = [];
    for (const [path, words, isInParts] of [
      [address, 'Perhaps', false],
      [address.replace('stop?', 'confirm?'), 'One-Click', false],
      [`${stop}?token=x`, 'One-Click', true],
      [address, 'One-Click', true],
    ] as const) {
      statuses.push((await post(path, words, isInParts)).status);
    }
    assert.deepEqual(statuses, [403, 403, 400, 200]);
    const stopped = await client().submit(stop, { token: stopToken }, stop);
    assert.match(stopped.text, /Stopped\./);
    const ended = await owner.get(`${place}?family=${family}`);
    assert.match(ended.text, /had the mails stopped/);
    const resumed = await owner.submit(`${place}?family=${family}`, { family }, `${place}/resume`);
    assert.equal(resumed.status, 400, 'only the owner of the address can');
  });

  it('shows and changes only what is one’s own', async () => {
    const owner = await signUp('owner@example.org');
    const other = await signUp('other@example.org');
    const made = await owner.submit('/dashboard/keys', { name: 'k', tier: 'free', expiry: '0' });
    assert.match(made.text, /tsd_live_/);
    const key = /tsd_live_[0-9A-Za-z]{36}/.exec(made.text)?.[0] ?? '';
    const keys = await owner.get('/dashboard/keys');
    const id = /keys\/(key_[0-9A-Z]+)\/revoke/.exec(keys.text)?.[1] ?? '';
    const watch = await owner.get('/dashboard/watchlist');
    const family = /name="family" value="([^"]+)"/.exec(watch.text)?.[1] ?? '';
    const { csrf } = await other.get('/dashboard/account');
    const session = /sessions\/([0-9a-f]{16})\/close/;
    const attempts = [
      [`/dashboard/keys/${id}/revoke`, {}, 404],
      [`/dashboard/keys/${id}/rotate`, { expiry: '0', overlap: '0' }, 404],
      ['/dashboard/watchlist', { family, address: `0x${'11'.repeat(20)}`, type: 'token' }, 200],
      ['/dashboard/webhooks/wh_x/remove', { family }, 404],
    ] as const;
    for (const [path, fields, status] of attempts) {
      const answer = await other.post(path, { ...fields, _csrf: csrf });
      assert.equal(answer.status, status, path);
      assert.doesNotMatch(answer.text, /tsd_live_/);
    }
    assert.equal((await api.call('/watchlist', { key })).status, 200);
    const items = (await api.call('/watchlist', { key })).body as { data: { total: number } };
    assert.equal(items.data.total, 0, 'nothing was added to the list of the other');
    assert.doesNotMatch((await owner.get('/dashboard/account')).text, session);
    assert.equal((await other.get('/dashboard/operations')).status, 404, 'for operators only');
    const operator = await signUp('operator@example.org');
    assert.equal((await operator.get('/dashboard/operations')).status, 200);
  });

  it('makes no key above the plan of its account', async () => {
    const browser = await signUp('plan@example.org');
    const refused = await browser.submit('/dashboard/keys', {
      name: 'k',
      tier: 'pro',
      expiry: '0',
    });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /is above the plan of this account/);
    assert.doesNotMatch((await browser.get('/dashboard/keys')).text, /<option value="pro">/);
  });

  it('opens the account of a key that the operator made, once', async () => {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [...programArgs('api/accounts/createKey.ts'), '--tier', 'pro', '--account', 'Op@example.org'],
      { env: { ...api.environment, BASE_URL: api.baseUrl } },
    );
    const link = new URL(/^http\S+$/m.exec(stderr)?.[0] ?? '');
    const path = `${link.pathname}${link.search}`;
    const browser = client();
    assert.equal((await browser.get(path)).location, '/dashboard/alerts');
    const keys = await browser.get('/dashboard/keys');
    assert.ok(keys.text.includes(stdout.trim().slice(0, 12)), 'the key belongs to the account');
    assert.match(keys.text, /<option value="pro">/, 'and its plan includes the tier');
    assert.equal((await client().get(path)).location, '/dashboard/sign-in?done=link-used');
    assert.equal(
      (await client().get('/dashboard/enter?token=x')).location,
      '/dashboard/sign-in?done=link-used',
    );
  });

  it('says where mails are only where no one else reads the page', async () => {
    const answer = await client().submit('/dashboard/sign-up', {
      email: 'where@example.org',
      password: PASSWORD,
    });
    assert.ok(answer.text.includes(mailFolder), 'this service is reached from this machine only');
    const plans = await client().get('/dashboard/plans');
    assert.match(plans.text, /9 USD a month/);
    assert.match(plans.text, /<td>nothing<\/td>/);
  });

  it('cannot be framed, cached or made to run what a page did not bring', async () => {
    const browser = await signUp('frame@example.org');
    for (const path of ['/dashboard', '/dashboard/sign-in', '/dashboard/nothing-here']) {
      const { headers, text } = await browser.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /frame-ancestors 'none'/);
      assert.match(policy, /script-src 'self'(;|$)/);
      assert.doesNotMatch(policy, /unsafe|\*/);
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('access-control-allow-origin'), null);
      assert.doesNotMatch(text, /<script(?![^>]*src=)|<style|\son\w+=|style="/);
    }
  });

  it('shows visitors what any key may read, from memory, as often as one address may', async () => {
    const visitor = client('127.0.4.1');
    const first = await visitor.get('/');
    assert.equal(first.status, 200);
    assert.equal(first.headers.get('cache-control'), 'public, max-age=5');
    assert.equal(first.headers.get('access-control-allow-origin'), null);
    assert.match(first.headers.get('vary') ?? '', /Cookie/);
    assert.equal(first.headers.get('set-cookie'), null);
    assert.match(first.headers.get('content-security-policy') ?? '', /script-src 'self'(;|$)/);
    assert.doesNotMatch(first.text, /_csrf|<script(?![^>]*src=)|<style|\son\w+=|style="/);
    const again = await visitor.get('/');
    assert.equal(again.text, first.text, 'as it was a moment ago');
    const owner = await signUp('front@example.org');
    const own = await owner.get('/');
    assert.equal(own.headers.get('cache-control'), 'no-store', 'with a session it is their own');
    assert.match(own.text, /Sign out/);
    for (const path of ['/dashboard', '/dashboard/tokens', '/dashboard/alerts']) {
      assert.equal((await visitor.get(path)).status, 303, `${path} needs an account`);
    }
    const answers = [];
    for (let look = 0; look < 250; look += 1) answers.push((await visitor.get('/')).status);
    assert.equal(answers.filter((status) => status === 200).length, 238);
    const refused = await visitor.get('/search?q=pepe');
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await client('127.0.4.2').get('/')).status, 200, 'others go on');
  });

  it('analyses what is not known yet for visitors, a few times, and only from its own page', async () => {
    const visitor = client('127.0.4.3');
    const token = `0x${'5e'.repeat(20)}`;
    const found = await visitor.get(`/search?q=${token.toUpperCase().replace('X', 'x')}`);
    assert.equal(found.location, `/token/${token}`);
    const unknown = await visitor.get(found.location);
    assert.equal(unknown.status, 404);
    assert.match(unknown.text, /Analyse now/);
    const start = (headers = {}) =>
      visitor.post(`/token/${token}/analysis`, { _csrf: unknown.csrf }, headers);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    assert.equal((await start(foreign)).status, 403, 'not from another site');
    assert.equal((await visitor.post(`/token/${token}/analysis`, {})).status, 403);

    const { location } = await start();
    assert.match(location, new RegExp(`^/token/${token}/analysis/job_`));
    assert.match((await visitor.get(location)).text, /Analysing …/);
    assert.equal((await visitor.get(`/token/${token}/analysis/job_none`)).status, 404);
    const key = jobKey(location.split('/').at(-1) ?? '');
    const job = JSON.parse((await api.cache.get(key)) ?? '');
    const end = (change: object) => api.cache.set(key, JSON.stringify({ ...job, ...change }));
    await end({ status: 'failed', error: 'not_a_contract' });
    assert.match((await visitor.get(location)).text, /There is no contract at this address/);
    await end({ status: 'completed' });
    assert.equal((await visitor.get(location)).location, `/token/${token}`);

    const inRussian = await visitor.get(`/token/${token}?lang=ru`);
    const action = /action="([^"]*analysis[^"]*)"/.exec(inRussian.text)?.[1] ?? '';
    const begun = await visitor.post(action, { _csrf: inRussian.csrf });
    assert.match(begun.location, /\/analysis\/job_\w+\?lang=ru$/);
    assert.match((await visitor.get(begun.location)).text, /Идёт проверка/);

    const statuses = [];
    for (let attempt = 0; attempt < 4; attempt += 1) statuses.push((await start()).status);
    assert.deepEqual(statuses, [303, 303, 303, 429]);
  });

  it('serves what browsers, crawlers and monitors look for', async () => {
    const visitor = client('127.0.4.4');
    for (const [path, type] of [
      ['/favicon.ico', 'image/png'],
      ['/favicon.svg', 'image/svg+xml'],
      ['/dashboard/assets/preview-start.png', 'image/png'],
      ['/robots.txt', 'text/plain; charset=utf-8'],
      ['/health', 'application/json; charset=utf-8'],
    ] as const) {
      const { status, headers } = await visitor.get(path);
      assert.deepEqual([status, headers.get('content-type')], [200, type], path);
    }
    assert.match((await visitor.get('/robots.txt')).text, /^Disallow: \/dashboard$/m);
  });

  it('shows a page to those who follow a link to nowhere, and JSON to programs', async () => {
    const read = async (path: string, headers: Record<string, string>) => {
      const answer = await fetch(`${api.baseUrl}${path}`, { headers });
      const type = answer.headers.get('content-type')?.split(';')[0];
      return { status: answer.status, type, text: await answer.text() };
    };
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const lost = await read('/pricing', browser);
    assert.deepEqual([lost.status, lost.type], [404, 'text/html']);
    assert.match(lost.text, /There is no such page/);
    const program = await read('/pricing', { accept: '*/*' });
    assert.deepEqual([program.status, program.type], [401, 'application/json']);
    const known = await read('/watchlist', browser);
    assert.deepEqual([known.status, known.type], [401, 'application/json'], 'a path of the API');
    const withKey = await read('/pricing', { ...browser, 'x-api-key': (await api.newKey()).key });
    assert.deepEqual([withKey.status, withKey.type], [404, 'application/json']);
  });

  it('says what went wrong to whoever is signed in as such, in the language they choose', async () => {
    const owner = await signUp('wrong@example.org');
    const links = (text: string): string[] =>
      [...text.matchAll(/href="([^"]*)" hreflang/g)].map(([, href = '']) =>
        href.replaceAll('&amp;', '&'),
      );
    const inAll = (page: string) =>
      ['en', 'ru', 'es', 'zh'].map((language) => `${page}lang=${language}`);
    for (const [path, status] of [
      ['/dashboard/no-such-page', 404],
      ['/dashboard/operations', 404],
      ['/token/0x12', 404],
      ['/token/%E0', 404],
    ] as const) {
      const [known, stranger] = [await owner.get(path), await client().get(path)];
      assert.equal(known.status, status, path);
      assert.match(known.text, /Sign out/, path);
      assert.doesNotMatch(known.text, /Sign in/, path);
      assert.deepEqual(links(known.text), inAll('?'), path);
      if (path !== '/dashboard/operations') assert.match(stranger.text, /Sign in/, path);
    }
    const signOut = await owner.get('/dashboard/no-such-page');
    const { csrf } = signOut;

    const fields = { name: 'mine', tier: 'free', expiry: '-1' };
    const from = (page: string) => ({ referer: `${api.baseUrl}${page}` });
    const refused = [
      await owner.post('/dashboard/keys', fields, from('/dashboard/keys?done=revoked&a=1')),
      await owner.post('/dashboard/keys', { ...fields, _csrf: csrf }, from('/dashboard/keys?a=1')),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [403, 400],
    );
    for (const { text } of refused) {
      assert.match(text, /Sign out/);
      assert.deepEqual(links(text), inAll('/dashboard/keys?a=1&'));
    }
    for (const referer of ['https://evil.example//evil.example/token/', 'none', '']) {
      const { text } = await client().post('/dashboard/sign-in', {}, { referer });
      assert.deepEqual(links(text), inAll('/?'), referer);
    }
    // Longer than the service waits for an answer.
    await api.cache.call('CLIENT', 'PAUSE', '5000');
    const away = await owner.get('/dashboard/keys');
    assert.equal(away.status, 503);
    assert.doesNotMatch(away.text, /Sign in|Sign out/, 'nobody knows now');
    const made = await owner.post('/dashboard/keys', { ...fields, expiry: '0', _csrf: csrf });
    assert.match(made.text, /tsd_live_/);
    assert.deepEqual(links(made.text), [], 'a key that is shown once is not left');
    assert.equal((await owner.post('/dashboard/sign-out', { _csrf: csrf })).status, 303);
  });

  it('ends sessions when the password changes or is reset, and links work once', async () => {
    const browser = await signUp('reset@example.org');
    const second = client();
    await signIn(second, 'reset@example.org');
    const changed = await browser.submit(
      '/dashboard/account',
      { current: PASSWORD, password: 'Better-Horse-8' },
      '/dashboard/account/password',
    );
    assert.equal(changed.location, '/dashboard/account?done=password-changed');
    assert.equal((await second.get('/dashboard')).status, 303, 'the other session has ended');
    assert.equal((await browser.get('/dashboard')).status, 200);
    await client().submit('/dashboard/forgot', { email: 'reset@example.org' });
    const token = tokenIn(await newestMail('reset@example.org', 2));
    const use = () =>
      client().submit(
        `/dashboard/reset?token=${token}`,
        { token, password: 'Newest-Horse-9' },
        '/dashboard/reset',
      );
    assert.equal((await use()).status, 303);
    assert.equal((await use()).status, 400, 'a link works once');
    assert.equal((await browser.get('/dashboard')).status, 303);
    assert.equal((await signIn(client(), 'reset@example.org', 'Newest-Horse-9')).status, 303);
  });

  it('asks for the second factor, takes each code once, and recovery codes instead', async () => {
    const browser = await signUp('totp@example.org');
    const page = await browser.get('/dashboard/account/second-factor');
    const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(page.text)?.[1] ?? '';
    const sealed = /name="sealed" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const code = totp.generate();
    const on = await browser.post('/dashboard/account/second-factor', {
      _csrf: page.csrf,
      sealed,
      current: PASSWORD,
      code,
    });
    const recovery = [...on.text.matchAll(/<li><code>([a-z0-9]{12})<\/code>/g)].map(([, c]) => c);
    assert.equal(recovery.length, 10);
    const enter = async (answer: string) => {
      const visitor = client();
      const first = await signIn(visitor, 'totp@example.org');
      assert.equal(first.location, '/dashboard/second-factor');
      assert.equal(visitor.cookies.has(SESSION), false, 'the password alone opens nothing');
      return visitor.submit('/dashboard/second-factor', { code: answer });
    };
    assert.equal((await enter(code)).status, 401, 'the code was used to turn it on');
    assert.equal((await enter('000000')).status, 401);
    assert.equal((await enter(recovery[0] ?? '')).status, 303);
    assert.equal((await enter(recovery[0] ?? '')).status, 401, 'a recovery code works once');
  });

  it('writes no password, token or key into its log', async () => {
    const browser = await signUp('log@example.org');
    const made = await browser.submit('/dashboard/keys', { name: 'k', tier: 'free', expiry: '0' });
    const key = /tsd_live_[0-9A-Za-z]{36}/.exec(made.text)?.[0] ?? 'none';
    const log = api.log();
    assert.ok(log.includes('/dashboard/keys'), 'requests are logged');
    for (const secret of [PASSWORD, key, browser.cookies.get(SESSION) ?? 'none']) {
      assert.equal(log.includes(secret), false);
    }
    const mails = readMails(mailFolder).map(({ text }) => text);
    for (const text of mails.filter((each) => linkIn(each) !== '')) {
      assert.equal(log.includes(tokenIn(text)), false);
    }
  });

  it('takes only forms, of bounded size', async () => {
    const { baseUrl } = api;
    const send = (body: string, type: string) =>
      fetch(`${baseUrl}/dashboard/sign-in`, {
        method: 'POST',
        body,
        headers: { 'content-type': type },
      }).then(({ status }) => status);
    const form = 'application/x-www-form-urlencoded';
    assert.equal(await send('{}', 'application/json'), 415);
    assert.equal(await send(`email=${'a'.repeat(20_000)}`, form), 413);
    assert.equal(await send('a=1&'.repeat(200), form), 400);
    assert.equal(await send('%E0%A4%A', form), 403);
  });
});
