import { type Browser, chromium as driver } from 'playwright-core';
import { chromium } from '../../deploy/local/serverBinaries.ts';

/** Only the pages under test are requested. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const ACTION_MS_MAX = 60_000;

export const DESKTOP = { width: 1280, height: 800 } as const;
/** The narrowest screen that pages must support. */
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

/** A page in a new browser profile, and the violations of its content security policy. */
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
