import { writeReport } from '../report.ts';
import { measureReads, readsReport } from './reads.ts';

// The reads of this API beside PostgreSQL on the same rows: make compare
// The table goes into COMPARISON.md; what is compared, and what is not, is said there.

const MARKS = ['<!-- reads: written by make compare -->', '<!-- end of reads -->'] as const;

writeReport('COMPARISON.md', MARKS, readsReport(await measureReads()));
