import { readActivity } from './activity.ts';
import { queryRows } from './clickhouseQuery.ts';
import type { Stack } from './environment.ts';
import { formatDuration, formatTable } from './formats.ts';
import { type Part, partsOf } from './parts.ts';
import { createProcesses, type Processes } from './processes.ts';
import { residentBytes } from './processIdentity.ts';
import { type Note, readNotes, SUPERVISOR } from './supervision.ts';

const BYTES_PER_MB = 1_000_000;
const PROGRESS_TIMEOUT_MS = 3_000;
const PROGRESS_SQL = `SELECT chain_id, block_number, head, updated_at
FROM tsd.chain_progress FINAL WHERE reader = 'scorer' ORDER BY chain_id LIMIT 100`;

const LINES_PER_FAILURE = 5;

/** What a part is doing: `note` is what the supervisor says of it. */
const stateOf = (part: Part, isRunning: boolean, note: Note | undefined): string => {
  if (part.launch === undefined) return 'external';
  if (isRunning) return 'running';
  if (note?.isGivenUp) return 'failed';
  return note?.problem === undefined ? 'stopped' : 'restarting';
};

/** What needs somebody to look: parts that were given up, and parts that nobody would start again. */
const describeProblems = (
  processes: Processes,
  notes: Readonly<Record<string, Note>>,
  names: readonly string[],
): string[] => {
  const failures = names.flatMap((name) => {
    const note = notes[name];
    if (!note?.isGivenUp || processes.find(name) !== undefined) return [];
    const lines = processes.lastLines(name, LINES_PER_FAILURE).map((line) => `  ${line}`);
    const told = `${name} failed: ${note.problem}; given up after ${note.restarts} restarts, make up starts it again. Its last log lines:`;
    return [[told, ...lines].join('\n')];
  });
  const isWatched = processes.find(SUPERVISOR) !== undefined;
  if (isWatched || !names.some((name) => processes.find(name))) return failures;
  return [...failures, 'the supervisor is gone: nothing that ends comes back until make up'];
};

/** A table of the stack's parts, how far each chain has come, and whether all is as it should be. */
export const describeStatus = async (
  stack: Stack,
): Promise<{ readonly text: string; readonly isSound: boolean }> => {
  const processes = createProcesses(stack.stateDir);
  const notes = readNotes(stack.stateDir);
  const rows = await Promise.all(
    partsOf(stack).map(async (part) => {
      const record = processes.find(part.name);
      const isAsked = record !== undefined || part.launch === undefined;
      const health = isAsked ? ((await part.isReady()) ? 'ok' : 'failing') : '-';
      const bytes = record && residentBytes(record.pid);
      return [
        part.name,
        stateOf(part, record !== undefined, notes[part.name]),
        record ? String(record.pid) : '-',
        part.ports.join(',') || '-',
        health,
        bytes === undefined ? '-' : `${Math.round(bytes / BYTES_PER_MB)} MB`,
        record ? formatDuration(Date.now() - record.startedAtMs) : '-',
        String(notes[part.name]?.restarts ?? 0),
      ];
    }),
  );
  const parts = formatTable([
    ['part', 'state', 'pid', 'port', 'health', 'memory', 'uptime', 'restarts'],
    ...rows,
  ]);
  const { lag, rates } = await readActivity(stack);
  const names = partsOf(stack).map(({ name }) => name);
  const problems = describeProblems(processes, notes, names);
  const sections = [parts, await describeProgress(stack), formatTable(lag), rates, ...problems];
  return { text: sections.join('\n\n'), isSound: problems.length === 0 };
};

const describeProgress = async (stack: Stack): Promise<string> => {
  try {
    const text = await queryRows(stack.clickhouseUrl, PROGRESS_SQL, PROGRESS_TIMEOUT_MS);
    const rows = text.split('\n').filter(Boolean);
    if (rows.length === 0) return 'no chain has been read yet';
    const header = ['chain', 'block', 'head', 'updated (UTC)'];
    return formatTable([header, ...rows.map((row) => row.split('\t'))]);
  } catch {
    return 'chain progress unknown: ClickHouse does not answer, or has no tables yet';
  }
};
