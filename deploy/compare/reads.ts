import { inspect } from 'node:util';
import { z } from 'zod';
import {
  CONNECTIONS,
  hammer,
  type Measured,
  READS,
  type Read,
  requestOf,
} from '../bench/apiReads.ts';
import { memoryOf, watchOthersBeside } from '../bench/childProcesses.ts';
import { percentile } from '../bench/figures.ts';
import { markdownTable, whole } from '../report.ts';
import { type ReadSubject, startReadSubjects } from './readSubjects.ts';
import { machineOf, ROUNDS, takeTurns } from './takeTurns.ts';
import { watchCpu } from './watchCpu.ts';

// The same requests to the API and to plain Koa routes over PostgreSQL with the same rows.

const TOKENS = Number(process.env['TOKENS'] || 300_000);
/** Duration of each read per round; the first round is a warm-up. */
const SECONDS = 3;
const WARM_UP_SECONDS = 1;
/** Requests of each read whose responses are compared first. */
const SAMPLES = 30;

/** As the benchmark of the API names them. */
const COMPARED = [
  'token, any (cold)',
  'list, first pages by turns',
  'list, any page, any filter',
  'list B, any page, any filter',
  'search, a symbol',
  'search, a word',
  'search, inside names',
  'search, inside names, few hits',
  'search, start of an address',
  'search, filters',
  'search, by checks',
  'search, of a creator',
];

/**
 * A search with more hits than are examined (1,000): which of them are found may differ, so only their number is
 * compared.
 */
const CUT = 'search, inside names';

interface ReadResult extends Measured {
  /** CPU milliseconds per request, of the program and its servers. */
  readonly cpuMs: number;
  /** Share of CPU time used by other work. */
  readonly others: number;
}

/** A line a value, in the order of names. */
const INSPECTED = { depth: null, maxArrayLength: null, sorted: true, compact: false } as const;

const totalSchema = z.object({ total: z.number() });
const entriesSchema = z.array(z.unknown());
/** Entries and total of all response forms; for one token its document. */
const answerSchema = z.union([
  z
    .object({ data: entriesSchema, pagination: totalSchema })
    .transform(({ data, pagination: { total } }) => ({ entries: data, total })),
  z
    .object({ data: totalSchema.extend({ tokens: entriesSchema }) })
    .transform(({ data: { tokens, total } }) => ({ entries: tokens, total })),
  z
    .object({ data: totalSchema.extend({ results: entriesSchema }) })
    .transform(({ data: { results, total } }) => ({ entries: results, total })),
  z
    .object({ data: z.object({ address: z.string() }).passthrough() })
    .transform(({ data }) => ({ entries: [data], total: 1 })),
]);

const answerOf = async ({ baseUrl, callers }: ReadSubject, asked: ReturnType<Read>) => {
  const { path, ...request } = requestOf(asked);
  const headers = { 'content-type': 'application/json', ...callers[0] };
  const response = await fetch(`${baseUrl}${path}`, { headers, ...request });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return answerSchema.parse(await response.json());
};

/**
 * @throws Error if they do not answer a request with the same entries and total, or answer all requests with nothing
 */
const checkAnswers = async (
  subjects: readonly ReadSubject[],
  name: string,
  read: Read,
): Promise<void> => {
  let found = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const asked = read();
    const answers = await Promise.all(subjects.map((one) => answerOf(one, asked)));
    found += answers[0]?.total ?? 0;
    const [ours = [], other = []] = answers.map(({ entries, total }) => {
      const compared = { entries: name === CUT ? entries.length : entries, total };
      return inspect(compared, INSPECTED).split('\n');
    });
    const at = ours.findIndex((line, number) => line !== other[number]);
    if (at >= 0) {
      throw new Error(`answers to ${JSON.stringify(asked)} differ:\n${ours[at]}\n${other[at]}`);
    }
  }
  if (found === 0) throw new Error(`${name}: nothing is found by ${SAMPLES} requests`);
};

const measureRead = async (subject: ReadSubject, read: Read, every: readonly ReadSubject[]) => {
  const { baseUrl, callers, program, servers } = subject;
  const cpuS = watchCpu([program, ...servers]);
  const allS = watchCpu(every.flatMap((one) => [one.program, ...one.servers]));
  const [beforeS, others] = [cpuS(), watchOthersBeside(allS)];
  const measured = await hammer({ baseUrl, callers, seconds: SECONDS }, read);
  const cpuMs = (1_000 * (cpuS() - beforeS)) / (measured.perSecond * SECONDS);
  return { ...measured, cpuMs, others: others() };
};

/** Compares responses, then measures one after the other, read by read. */
export const measureReads = async () => {
  const started = await startReadSubjects(TOKENS);
  try {
    const { subjects } = started;
    const every = [...subjects.values()];
    const reads = COMPARED.map((name): [string, Read] => {
      const read = READS[name]?.(TOKENS);
      if (typeof read !== 'function') throw new Error(`no read is called ${name}`);
      return [name, read];
    });
    for (const [name, read] of reads) {
      await checkAnswers(every, name, read);
      for (const { baseUrl, callers } of every) {
        await hammer({ baseUrl, callers, seconds: WARM_UP_SECONDS }, read);
      }
    }
    const results = new Map<string, Map<string, ReadResult[]>>();
    for (const [name, read] of reads) {
      console.log(name);
      results.set(name, await takeTurns(subjects, (one) => measureRead(one, read, every)));
    }
    const memory = [...subjects].map(
      ([name, { program }]) => `${name} ${memoryOf(program).rssMib}`,
    );
    return { results, memory };
  } finally {
    await started.stop();
  }
};

const cellsOf = (runs: readonly ReadResult[]): string[] => {
  const of = (field: keyof ReadResult): number =>
    percentile(
      runs.map((run) => run[field]),
      0.5,
    );
  return [
    whole(of('perSecond')),
    `${whole(of('p50'))} / ${whole(of('p99'))}`,
    of('cpuMs').toFixed(1),
  ];
};

/** The report, line by line. */
export const readsReport = ({
  results,
  memory,
}: Awaited<ReturnType<typeof measureReads>>): string[] => {
  const [first = new Map<string, ReadResult[]>()] = results.values();
  const heads = [...first.keys()].flatMap((name) => [
    `${name}: requests/s`,
    'p50 / p99, ms',
    'CPU ms a request',
  ]);
  const rows = [...results].map(([read, by]) => [read, ...[...by.values()].flatMap(cellsOf)]);
  const all = new Map([...results].map(([read, by]) => [read, [...by.values()].flat()]));
  const shed = [...all.values()].flat().reduce((sum, run) => sum + run.shed, 0);
  return [
    `${whole(TOKENS)} tokens, ${CONNECTIONS} connections, ${SECONDS} s a read, median of ${ROUNDS} alternating rounds, ${machineOf(all)}; memory of the program at the end, MiB: ${memory.join(', ')}; answers of 503: ${shed}:`,
    '',
    markdownTable([['', ...heads], ...rows]),
  ];
};
