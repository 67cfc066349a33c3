import { createWriteStream } from 'node:fs';
import { run } from 'node:test';
import { dot, spec } from 'node:test/reporters';

// What `node --test` does, which sorts its files by name: those that take longest must begin, for at the end they run alone.
//   runTests.js CONCURRENCY TIMEOUT_MS REPORT_FILE FILES…, from which children take the options of Node

const [concurrency, timeoutMs, reportFile = '', ...files] = process.argv.slice(2);
if (files.length === 0) throw new Error('no test files were given');
const events = run({ files, concurrency: Number(concurrency), timeout: Number(timeoutMs) });
events.on('test:fail', () => {
  process.exitCode = 1;
});
events.compose(dot).pipe(process.stdout);
events.compose(new spec()).pipe(createWriteStream(reportFile));
