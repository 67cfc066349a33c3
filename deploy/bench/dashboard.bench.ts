import { createAccountStore } from '../../api/accounts/accountStore.ts';
import { createSessionStore } from '../../api/accounts/sessionStore.ts';
import { fillTables, KNOWN } from '../../api/testing/sampleAccount.ts';
import { startApi } from '../../api/testing/startApi.ts';
import { startBrowser } from '../../api/testing/startBrowser.ts';
import { startMigratingClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import { percentile } from './figures.ts';

// The token page: server time, compared with a response of the same process that needs no page; time to first
// contentful paint in a browser; and bytes transferred.

const REQUESTS = 300;
const VISITS = 15;

const api = await startApi({}, undefined, startMigratingClickhouse);
const browser = await startBrowser();
try {
  await fillTables(api.database);
  const now = (): number => Date.now();
  const account = await createAccountStore({ redis: api.cache, now }).create({
    email: 'bench@example.org',
  });
  if (!account) throw new Error('the account of the benchmark exists already');
  const sessions = createSessionStore({ redis: api.cache, now });
  const token = await sessions.open(account.id, { userAgent: 'bench', address: '127.0.0.1' });
  const cookie = `__Host-session=${token}`;
  const path = `/token/${KNOWN.token}`;

  const timesOf = async (url: string, headers: Record<string, string>): Promise<number[]> => {
    const times: number[] = [];
    for (let request = 0; request < REQUESTS; request += 1) {
      const startMs = performance.now();
      const response = await fetch(`${api.baseUrl}${url}`, { headers });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${url} answers ${response.status}`);
      times.push(performance.now() - startMs);
    }
    return times.slice(REQUESTS / 10);
  };
  const pages = await timesOf(path, { cookie });
  const probes = await timesOf('/healthz', {});
  const p = (times: number[], share: number): string => percentile(times, share).toFixed(1);
  console.log(
    `token page, one after another: p50 ${p(pages, 0.5)} ms, p99 ${p(pages, 0.99)} ms (aim: p99 < 50)`,
  );
  console.log(
    `the same process, a bare answer: p50 ${p(probes, 0.5)} ms, p99 ${p(probes, 0.99)} ms`,
  );

  const paints: number[] = [];
  let bytes = 0;
  for (let visit = 0; visit < VISITS; visit += 1) {
    const context = await browser.newContext({
      baseURL: api.baseUrl,
      extraHTTPHeaders: { cookie },
    });
    const page = await context.newPage();
    await page.goto(path, { waitUntil: 'load' });
    const measured = (await page.evaluate(`({
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
      bytes: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .reduce((sum, entry) => sum + entry.transferSize, 0),
    })`)) as { paint: number; bytes: number };
    if (Number.isFinite(measured.paint)) paints.push(measured.paint);
    bytes = Math.max(bytes, measured.bytes);
    await context.close();
  }
  console.log(
    `first contentful paint, empty cache: p50 ${p(paints, 0.5)} ms, worst ${p(paints, 1)} ms (aim: < 300)`,
  );
  console.log(`bytes on the wire, empty cache: ${(bytes / 1000).toFixed(0)} kB (aim: < 200)`);
} finally {
  await browser.close();
  await api.close();
}
process.exit();
