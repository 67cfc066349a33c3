import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csrfToken, isCsrfTokenRight, isSameOrigin } from './csrf.ts';
import { isPagePath, safePath } from './page.ts';

describe('the page somebody wanted before signing in', () => {
  it('is a page of this service or the start of the dashboard', () => {
    const kept = [
      '/dashboard',
      '/dashboard/tokens?sort=risk_score&order=asc',
      '/dashboard/keys',
      '/token/0x12?lang=es',
    ];
    for (const path of kept) assert.equal(safePath(path), path);
    const refused = ['', '/', '/tokens', '//evil', '/dashboard/../x', '/dashboard//x', 'http://x'];
    for (const path of refused) assert.equal(safePath(path), '/dashboard', path);
  });
});

describe('a path', () => {
  it('is that of a page, or of the API', () => {
    const pages = ['/', '/dashboard', '/dashboard/keys', '/token/0x12', '/wallet/0x', '/ring/cl_1'];
    for (const path of pages) assert.ok(isPagePath(path), path);
    const others = ['/tokens', '/tokens/0x12', '/api/search', '/docs', '/tokenx', '/dashboards'];
    for (const path of others) assert.ok(!isPagePath(path), path);
  });
});

describe('where a form came from', () => {
  const own = ['https://scams.example'];

  it('follows what the browser says, and a header without it is accepted', () => {
    const cases: [origin: string, fetchSite: string, isOurs: boolean][] = [
      ['https://scams.example', 'same-origin', true],
      ['https://scams.example', '', true],
      ['', 'same-origin', true],
      ['', '', false],
      ['https://evil.example', '', false],
      ['https://evil.example', 'same-origin', false],
      ['https://scams.example', 'cross-site', false],
      ['https://scams.example', 'same-site', false],
      ['null', '', false],
    ];
    for (const [origin, fetchSite, isOurs] of cases) {
      assert.equal(isSameOrigin({ origin, fetchSite }, own), isOurs, `${origin} ${fetchSite}`);
    }
  });

  it('is proven by a token of the same cookie', () => {
    const token = csrfToken('secret', 'cookie');
    assert.ok(isCsrfTokenRight('secret', 'cookie', token));
    for (const wrong of [
      '',
      token.slice(1),
      csrfToken('secret', 'other'),
      csrfToken('x', 'cookie'),
    ]) {
      assert.equal(isCsrfTokenRight('secret', 'cookie', wrong), false);
    }
  });
});
