import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { chromium } from '../../deploy/local/serverBinaries.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';

/** Nothing but the pages under test is talked to. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const ACTION_MS_MAX = 60_000;
const PICTURES = join(projectRoot(), 'coverage/pages');

export const DESKTOP = { width: 1280, height: 800 } as const;
const PHONE = { width: 390, height: 844 } as const;
/** The narrowest screen that pages must fit. */
export const SMALL_PHONE = { width: 360, height: 740 } as const;

/** A real Chromium without a window. */
export const startBrowser = async (): Promise<Browser> => {
  const { path, env } = await chromium();
  // Chromium's sandbox refuses to run as root, which tests in containers do.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return driver.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    args: [...QUIET, ...sandbox],
  });
};

/** A page of a browser profile of its own, and what its content security policy refused. */
export const openPage = async (browser: Browser, baseURL: string) => {
  const context = await browser.newContext({ baseURL, viewport: DESKTOP });
  context.setDefaultTimeout(ACTION_MS_MAX);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
  return { context, page, problems };
};

/** Looks of a page. */
const LOOKS = [
  { place: 'desktop', size: DESKTOP, colorScheme: 'light' },
  { place: 'phone', size: PHONE, colorScheme: 'dark' },
  { place: 'desktop', size: DESKTOP, colorScheme: 'dark' },
  { place: 'phone', size: PHONE, colorScheme: 'light' },
] as const;

/**
 * With `PICTURES=1`, pictures of the page, light and dark, on a desk and on a phone: for people to look at.
 * @param path what is opened for them, where they are not of the page that is open
 */
export const takePictures = async (page: Page, name: string, path?: string): Promise<void> => {
  if (process.env['PICTURES'] !== '1') return;
  if (path !== undefined) await page.goto(path);
  mkdirSync(PICTURES, { recursive: true });
  for (const { place, size, colorScheme } of LOOKS) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    const file = join(PICTURES, `${name}-${place}-${colorScheme}.png`);
    await page.screenshot({ path: file, fullPage: true });
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: 'light' });
};
