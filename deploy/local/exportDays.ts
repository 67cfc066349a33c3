import { join } from 'node:path';
import {
  EXPORT_KINDS,
  type ExportKind,
  exportDaysSql,
  exportSql,
  isDay,
} from '../../shared/rules/dayExport.ts';
import { openFolder } from '../openFolder.ts';
import { queryRows, queryToFile } from './probes.ts';

/** What `make export` was asked for. */
export interface ExportRequest {
  /** Of the analyst. */
  readonly url: string;
  readonly out: string;
  /** All kinds where absent. */
  readonly what?: string | undefined;
  /** As `2026-01-31`; every day with rows where absent. */
  readonly day?: string | undefined;
  /** Milliseconds for one file. */
  readonly timeoutMs: number;
  readonly print: (line: string) => void;
}

const kindsOf = (what: string | undefined): readonly ExportKind[] => {
  const kinds = EXPORT_KINDS.filter((kind) => what === undefined || kind === what);
  if (kinds.length === 0)
    throw new Error(`WHAT=${what}: must be one of ${EXPORT_KINDS.join(', ')}`);
  return kinds;
};

/**
 * Writes `<out>/<kind>/<day>.parquet`, a file a day and kind; a file that is there is replaced.
 * @throws Error that names the variable which cannot be used, or with ClickHouse's own text.
 */
export const exportDays = async (request: ExportRequest): Promise<void> => {
  const { url, out, what, day, timeoutMs, print } = request;
  const kinds = kindsOf(what);
  if (day !== undefined && !isDay(day)) {
    throw new Error(`DAY=${day}: must be a day such as 2026-01-31`);
  }
  openFolder('OUT', out);
  for (const kind of kinds) {
    const found = day ?? (await queryRows(url, exportDaysSql(kind), timeoutMs)).trim();
    const days = found.split('\n').filter((text) => text !== '');
    if (days.length === 0) print(`${kind}: no rows yet`);
    openFolder('OUT', join(out, kind));
    for (const each of days) {
      const file = join(out, kind, `${each}.parquet`);
      const bytes = await queryToFile(url, exportSql(kind, each), file, timeoutMs);
      print(`${file} ${bytes} bytes`);
    }
  }
};
