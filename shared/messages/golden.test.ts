import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { eventsOf } from '../events/eventsOf.ts';
import { PoisonMessageError } from '../platform/errors.ts';
import { alertMessageSchema } from './alertMessage.ts';
import { chainMessageSchema, decodeChainEvent, encodeChainEvent } from './chainMessage.ts';
import { clusterMessageSchema } from './clusterMessage.ts';
import { heartbeatSchema } from './heartbeat.ts';
import { analysisMessageSchema, analyzeJobSchema } from './jobMessage.ts';
import { scoreMessageSchema } from './scoreMessage.ts';
import { settingsChangedSchema, webhooksChangedSchema } from './settingsMessage.ts';
import { verdictDocSchema } from './verdictDoc.ts';
import { watchChangedSchema } from './watchMessage.ts';

/** What a schema accepts, as plain JSON that is equal for equal schemas. Conditions in code are only named. */
const describeSchema = (schema: z.ZodTypeAny): unknown => {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape as z.ZodRawShape).map(([name, field]) => [
      name,
      describeSchema(field),
    ]);
    const rest = schema._def.catchall as z.ZodTypeAny;
    const others = rest instanceof z.ZodNever ? {} : { others: describeSchema(rest) };
    return { object: Object.fromEntries(fields) as Record<string, unknown>, ...others };
  }
  if (schema instanceof z.ZodOptional) return { optional: describeSchema(schema.unwrap()) };
  if (schema instanceof z.ZodNullable) return { nullable: describeSchema(schema.unwrap()) };
  if (schema instanceof z.ZodArray)
    return { array: describeSchema(schema.element), ...limits(schema) };
  if (schema instanceof z.ZodRecord) return { record: describeSchema(schema.valueSchema) };
  if (schema instanceof z.ZodUnion) return { union: schema.options.map(describeSchema) };
  if (schema instanceof z.ZodDiscriminatedUnion) {
    return { by: schema.discriminator, union: [...schema.options].map(describeSchema) };
  }
  if (schema instanceof z.ZodEffects)
    return { [schema._def.effect.type]: describeSchema(schema.innerType()) };
  // A schema may contain itself.
  if (schema instanceof z.ZodLazy) return 'lazy';
  if (schema instanceof z.ZodLiteral) return { literal: schema.value as unknown };
  if (schema instanceof z.ZodEnum) return { enum: schema.options as unknown };
  return simple(schema);
};

const limits = ({ _def: { minLength, maxLength } }: z.ZodArray<z.ZodTypeAny>) => ({
  ...(minLength === null ? {} : { min: minLength.value }),
  ...(maxLength === null ? {} : { max: maxLength.value }),
});

/** Schemas of one value, with their bounds. */
const simple = (schema: z.ZodTypeAny): unknown => {
  if (schema instanceof z.ZodString || schema instanceof z.ZodNumber) {
    const name = schema instanceof z.ZodString ? 'string' : 'number';
    const checks = schema._def.checks.map(({ message: _message, ...check }) =>
      Object.values(check).map(String).join(' '),
    );
    return checks.length === 0 ? name : { [name]: checks };
  }
  const known: [string, boolean][] = [
    ['boolean', schema instanceof z.ZodBoolean],
    ['null', schema instanceof z.ZodNull],
    ['unknown', schema instanceof z.ZodUnknown],
    ['any', schema instanceof z.ZodAny],
  ];
  const found = known.find(([, is]) => is);
  if (!found) throw new Error('a schema of a kind that is not described yet');
  return found[0];
};

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
