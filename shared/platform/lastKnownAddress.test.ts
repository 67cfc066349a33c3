import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, it } from 'node:test';
import { createLookup } from './lastKnownAddress.ts';

const A = { address: '10.0.0.1', family: 4 };
const B = { address: '10.0.0.2', family: 4 };

/** A name server with prescribed answers, which counts queries. */
const createNameServer = (first: () => Promise<LookupAddress[]>) => {
  const server = { answer: first, questions: 0 };
  const lookup = createLookup(() => {
    server.questions += 1;
    return server.answer();
  });
  const ask = (): Promise<string | LookupAddress[]> =>
    new Promise((resolve, reject) => {
      lookup('clickhouse', {}, (error, address) => (error ? reject(error) : resolve(address)));
    });
  return { server, lookup, ask };
};

const never = (): Promise<LookupAddress[]> => new Promise(() => {});
const denied = (): Promise<LookupAddress[]> =>
  Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }));

describe('createLookup', () => {
  it('follows the name server while it answers', async () => {
    const { server, ask } = createNameServer(async () => [A]);
    assert.equal(await ask(), A.address);
    server.answer = async () => [B];
    assert.equal(await ask(), B.address);
  });

  it('uses the last address while the name server is silent or denies the name', async () => {
    const { server, ask } = createNameServer(async () => [A]);
    await ask();
    server.answer = denied;
    assert.equal(await ask(), A.address);
    server.answer = never;
    assert.equal(await ask(), A.address);
  });

  it('fails where nothing is known', async () => {
    const { ask } = createNameServer(denied);
    await assert.rejects(ask(), { code: 'ENOTFOUND' });
  });

  it('asks one question at a time', async () => {
    const { server, ask } = createNameServer(async () => [A]);
    await ask();
    server.answer = never;
    await Promise.all([ask(), ask(), ask()]);
    assert.equal(server.questions, 2);
  });

  it('gives all addresses to a connection that tries each family', async () => {
    const { lookup } = createNameServer(async () => [A, B]);
    const all = await new Promise((resolve) => {
      lookup('clickhouse', { all: true }, (_error, addresses) => resolve(addresses));
    });
    assert.deepEqual(all, [A, B]);
  });
});
