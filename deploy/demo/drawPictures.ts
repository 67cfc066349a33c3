import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../../api/testing/startBrowser.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { createStack, savedSettings, stateDirOf } from '../local/environment.ts';

// Draws the pictures of link previews, the icon, and the README's pictures from a running demo: see `make help`.

const ASSETS = join(projectRoot(), 'api/dashboard/assets');
const PICTURES = join(projectRoot(), 'api/dashboard/pictures');
/** Size according to the specification of link previews. */
const PREVIEW_SIZE = { width: 1200, height: 630 };
const ICON_PX = 48;
const PAGE_SIZE = { width: 1020, height: 720 };

const PREVIEWS = {
  start: ['#1f5fbf', 'Is this token a scam?', 'Paste an address. See why, with evidence.'],
  avoid: ['#b3261e', 'Do not buy.', 'Evidence of a scam, for anyone to verify.'],
  wait: ['#8a5a00', 'Wait.', 'Too little is clear to call it safe.'],
  no_finding: [
    '#146c2e',
    'Nothing found against it.',
    'That is no guarantee. See what was checked.',
  ],
} as const;

const icon = readFileSync(join(ASSETS, 'icon.svg'), 'utf8');

const previewOf = ([color, title, text]: (typeof PREVIEWS)[keyof typeof PREVIEWS]): string => `
<body style="margin:0;background:${color};color:#fff;font:500 44px system-ui,sans-serif;display:grid;place-content:center start;height:630px;padding:0 90px;box-sizing:border-box">
<div style="width:88px;background:#fff;border-radius:22px;padding:14px">${icon}</div>
<h1 style="font-size:92px;line-height:1.05;margin:44px 0 24px">${title}</h1>
<p style="margin:0;opacity:.92">${text}</p><p style="margin:60px 0 0;font-size:32px;opacity:.8">Token Scam Detection</p>`;

const drawPreviews = async (browser: Browser): Promise<void> => {
  const page = await browser.newPage({ viewport: PREVIEW_SIZE });
  for (const [name, texts] of Object.entries(PREVIEWS)) {
    await page.setContent(previewOf(texts));
    writeFileSync(join(ASSETS, `preview-${name}.png`), await page.screenshot());
  }
  await page.setViewportSize({ width: ICON_PX, height: ICON_PX });
  await page.setContent(`<body style="margin:0">${icon}`);
  writeFileSync(join(ASSETS, 'icon.png'), await page.screenshot({ omitBackground: true }));
  await page.close();
};

const save = async (page: Page, name: string): Promise<void> => {
  await page.waitForLoadState('networkidle');
  writeFileSync(join(PICTURES, name), await page.screenshot());
};

/** A verdict and a ring of the demo, as the top of their pages. */
const drawDemo = async (browser: Browser): Promise<void> => {
  const stateDir = stateDirOf(process.env);
  const { apiUrl } = createStack(stateDir, savedSettings(stateDir, process.env));
  const page = await browser.newPage({ baseURL: apiUrl, viewport: PAGE_SIZE });
  await page.goto('/search?q=TRAP');
  // Not every machine that draws has fonts for all languages.
  await page.locator('.languages').evaluate((element) => element.remove());
  await save(page, 'verdict.png');
  await page.goto('/');
  await page.locator('.examples a[href^="/ring/"]').click();
  await page.locator('.network svg').first().waitFor();
  await save(page, 'ring.png');
  await page.close();
};

const browser = await startBrowser();
try {
  await drawPreviews(browser);
  if (process.env['DEMO'] !== '0') await drawDemo(browser);
} finally {
  await browser.close();
}
