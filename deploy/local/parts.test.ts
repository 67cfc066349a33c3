import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { createStack } from './environment.ts';
import { inRollOrder, partsOf } from './parts.ts';

describe('the parts of a stack', () => {
  it('are restarted in the order of DEPLOY.md, all roles of them', () => {
    const text = readFileSync(join(projectRoot(), 'deploy/DEPLOY.md'), 'utf8');
    const [, named = ''] = /readers before writers: ([^.]+)\./.exec(text) ?? [];
    const roles = partsOf(createStack(tempFolder(), {})).filter(({ kind }) => kind === 'role');
    assert.equal(roles.length, 6);
    assert.equal(
      inRollOrder(roles)
        .map(({ name }) => `\`${name}\``)
        .join(', '),
      named,
    );
  });
});
