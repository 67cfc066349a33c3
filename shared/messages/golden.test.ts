import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { eventsOf } from '../events/eventsOf.ts';
import { PoisonMessageError } from '../platform/errors.ts';
import { describeSchema } from '../testing/describeSchema.ts';
import { alertMessageSchema } from './alertMessage.ts';
import { analysisMessageSchema } from './analysisMessage.ts';
import { chainMessageSchema, decodeChainEvent, encodeChainEvent } from './chainMessage.ts';
import { clusterMessageSchema } from './clusterMessage.ts';
import { heartbeatSchema } from './heartbeat.ts';
import { analyzeJobSchema } from './jobMessage.ts';
import { scoreMessageSchema } from './scoreMessage.ts';
import { settingsChangedSchema, webhooksChangedSchema } from './settingsMessage.ts';
import { verdictDocSchema } from './verdictDoc.ts';
import { watchChangedSchema } from './watchMessage.ts';

// Messages outlive the code that wrote them: in streams, in dead letters, in tables. MESSAGES.md has the rules.

const FOLDER = fileURLToPath(new URL('golden', import.meta.url));
const FILE = /^([a-zA-Z]+)\.v(\d+)\.r(\d+)\.json$/;

const SCHEMAS: Readonly<Record<string, z.ZodTypeAny>> = {
  chain: chainMessageSchema,
  job: analyzeJobSchema,
  analysis: analysisMessageSchema,
  score: scoreMessageSchema,
  cluster: clusterMessageSchema,
  alert: alertMessageSchema,
  watchChanged: watchChangedSchema,
  settingsChanged: settingsChangedSchema,
  webhooksChanged: webhooksChangedSchema,
  verdictDoc: verdictDocSchema,
  heartbeat: heartbeatSchema,
};

const goldenSchema = z.object({
  schema: z.unknown(),
  messages: z.array(z.record(z.unknown())).min(1),
});

const files = readdirSync(FOLDER)
  .map((file) => {
    const [, name = '', version = '', revision = ''] = FILE.exec(file) ?? [];
    const golden = goldenSchema.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));
    return { file, name, version: Number(version), revision: Number(revision), ...golden };
  })
  .toSorted((a, b) => a.version - b.version || a.revision - b.revision);

const bytesOf = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));

describe('messages of every version', () => {
  for (const { file, name, version, messages } of files) {
    it(`${file} can be read today`, () => {
      const schema = SCHEMAS[name];
      assert.ok(schema, `${file}: no message is called ${name}`);
      for (const message of messages) {
        assert.equal(message['v'], version);
        // Chain messages are decoded as the consumers do.
        if (name === 'chain') decodeChainEvent(bytesOf(message));
        else schema.parse(message);
      }
    });
  }

  for (const [name, schema] of Object.entries(SCHEMAS)) {
    it(`the newest file of ${name} shows the schema as it is`, () => {
      const newest = files.findLast((golden) => golden.name === name);
      const described = JSON.stringify(describeSchema(schema));
      assert.ok(newest, `add golden/${name}.v1.r1.json`);
      assert.equal(
        JSON.stringify(newest.schema),
        described,
        `the schema of ${name} changed: leave ${newest.file} as it is and add a file beside it, as MESSAGES.md says`,
      );
    });

    it(`a ${name} of a version that is not known yet is refused`, () => {
      const newest = files.findLast((golden) => golden.name === name);
      for (const message of newest?.messages ?? []) {
        assert.ok(!schema.safeParse({ ...message, v: Number(message['v']) + 1 }).success);
      }
    });
  }

  it('are written today as the newest file of chain messages has them', () => {
    const newest = files.findLast(({ name }) => name === 'chain');
    for (const message of newest?.messages ?? []) {
      const written: unknown = JSON.parse(
        Buffer.from(encodeChainEvent(decodeChainEvent(bytesOf(message)))).toString(),
      );
      assert.deepEqual(written, message);
    }
  });

  it('are all here: whatever has a version has a file', async () => {
    const sources = readdirSync(join(FOLDER, '..')).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
    );
    const known = new Set(Object.values(SCHEMAS));
    for (const file of sources) {
      const exported = (await import(`./${file}`)) as Record<string, unknown>;
      for (const [name, value] of Object.entries(exported)) {
        const isVersioned = value instanceof z.ZodObject && 'v' in (value.shape as z.ZodRawShape);
        if (isVersioned) assert.ok(known.has(value), `${name} of ${file} has no golden message`);
      }
    }
  });

  it('that are newer than a reader of events become dead letters, not a bug', () => {
    for (const name of ['alert', 'score', 'analysis']) {
      const [message] = files.findLast((golden) => golden.name === name)?.messages ?? [];
      const data = bytesOf({ ...message, v: 99 });
      const subject = `${name}.1.x`;
      assert.throws(() => eventsOf({ subject, data, messageId: 'id' }), PoisonMessageError);
    }
  });
});
