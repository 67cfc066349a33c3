import { writeReport } from '../report.ts';
import { measureReads, readsReport } from './reads.ts';

// The reads of this API compared with PostgreSQL on the same rows: make compare. COMPARISON.md has the resulting
// table, and says what is and is not compared.

const MARKS = ['<!-- reads: written by make compare -->', '<!-- end of reads -->'] as const;

writeReport('COMPARISON.md', MARKS, readsReport(await measureReads()));
