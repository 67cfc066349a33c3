import { after } from 'node:test';
import { startFilledApi } from './sampleAccount.ts';

/** The API shared by all test files of a process that change nothing visible to others. */
export const api = await startFilledApi();
after(() => api.close());
