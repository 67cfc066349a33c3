/** Roles by name; each is imported only when requested. */
const ROLES: Readonly<Record<string, () => Promise<{ run: () => Promise<unknown> }>>> = {
  watcher: () => import('./watcher/run.ts'),
  scorer: () => import('./scorer/run.ts'),
  alerts: () => import('./alerts/run.ts'),
  clusters: () => import('./clusters/run.ts'),
  push: () => import('./push/run.ts'),
};
/** Exit code for wrong usage: sysexits.h EX_USAGE. */
const EXIT_USAGE = 64;
const EXIT_FAILURE = 1;

const load = ROLES[process.argv[2] ?? ''];
if (!load || process.argv.length > 3) {
  process.stderr.write(`usage: main <${Object.keys(ROLES).join('|')}>\n`);
  process.exit(EXIT_USAGE);
}
try {
  const { run } = await load();
  await run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(EXIT_FAILURE);
}
