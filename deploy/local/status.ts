import { readActivity } from './activity.ts';
import { queryRows } from './clickhouseQuery.ts';
import type { Stack } from './environment.ts';
import { formatDuration, formatTable } from './formats.ts';
import { partsOf } from './parts.ts';
import { createProcesses } from './processes.ts';
import { residentBytes } from './processIdentity.ts';

const BYTES_PER_MB = 1_000_000;
const PROGRESS_TIMEOUT_MS = 3_000;
const PROGRESS_SQL = `SELECT chain_id, block_number, head, updated_at
FROM tsd.chain_progress FINAL ORDER BY chain_id LIMIT 100`;

/** A table of the stack's parts, and how far each chain has come. */
export const describeStatus = async (stack: Stack): Promise<string> => {
  const processes = createProcesses(stack.stateDir);
  const rows = await Promise.all(
    partsOf(stack).map(async (part) => {
      const record = processes.find(part.name);
      const isAsked = record !== undefined || part.launch === undefined;
      const health = isAsked ? ((await part.isReady()) ? 'ok' : 'failing') : '-';
      const bytes = record && residentBytes(record.pid);
      const state = part.launch === undefined ? 'external' : record ? 'running' : 'stopped';
      return [
        part.name,
        state,
        record ? String(record.pid) : '-',
        part.ports.join(',') || '-',
        health,
        bytes === undefined ? '-' : `${Math.round(bytes / BYTES_PER_MB)} MB`,
        record ? formatDuration(Date.now() - record.startedAtMs) : '-',
      ];
    }),
  );
  const parts = formatTable([
    ['part', 'state', 'pid', 'port', 'health', 'memory', 'uptime'],
    ...rows,
  ]);
  const { lag, rates } = await readActivity(stack);
  return [parts, await describeProgress(stack), formatTable(lag), rates].join('\n\n');
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
