import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { describeHistory, measureHistory } from './measureHistory.ts';

const { values } = parseArgs({
  options: { data: { type: 'string', default: join(projectRoot(), '../shared/data') } },
});
process.stdout.write(`${describeHistory(await measureHistory(values.data)).join('\n')}\n`);
