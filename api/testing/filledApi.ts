import { after } from 'node:test';
import { startFilledApi } from './sampleAccount.ts';

/** The API that all test files of a process ask which change nothing that the others see. */
export const api = await startFilledApi();
after(() => api.close());
