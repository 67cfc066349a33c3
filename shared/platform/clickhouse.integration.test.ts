import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { addressParam, inAddresses } from '../chain/address.ts';
import { type Service, startClickhouse } from '../testing/services.ts';
import { type Clickhouse, createClickhouse } from './clickhouse.ts';

const LONG = 50_000;
const countSchema = z.object({ found: z.number() });

describe('the database, asked for long lists', () => {
  let service: Service;
  let clickhouse: Clickhouse;
  before(async () => {
    service = await startClickhouse();
    clickhouse = createClickhouse({ url: service.url });
  });
  after(async () => {
    await clickhouse.close();
    await service.stop();
  });

  for (const length of [1, 3_100, LONG]) {
    it(`finds ${length} addresses`, async () => {
      const addresses = Array.from({ length }, (_, n) =>
        addressParam(`0x${n.toString(16).padStart(40, '0')}`),
      );
      const sql = `SELECT count() AS found FROM (SELECT toFixedString(unhex(leftPad(lower(hex(number)), 40, '0')), 20) AS a
        FROM numbers({all:UInt64})) WHERE a IN ${inAddresses('addresses')} OR a IN ${inAddresses('addresses')}`;
      const [row] = await clickhouse.query(sql, { addresses, all: LONG + 5 }, countSchema);
      assert.equal(row?.found, length);
    });
  }

  it('takes a text that looks like the placeholder of another list as it is', async () => {
    const texts = Array.from({ length: LONG }, () => '{others:Array(String)}');
    const others = Array.from({ length: LONG }, () => '; SELECT 1');
    const sql = `SELECT countIf(t = concat('{', 'others:Array(String)}')) AS found
      FROM (SELECT arrayJoin({texts:Array(String)}) AS t) WHERE t NOT IN {others:Array(String)}`;
    const [row] = await clickhouse.query(sql, { texts, others }, countSchema);
    assert.equal(row?.found, LONG);
  });

  for (const [name, end] of [
    ['texts', '}'],
    ['texts with commas', ',}'],
  ] as const) {
    it(`takes numbers and ${name} as they are`, async () => {
      const texts = Array.from({ length: LONG }, (_, n) => `it's \\ ${n} {texts:String${end}`);
      const numbers = Array.from({ length: LONG }, (_, n) => n);
      const sql = `SELECT countIf(t = concat('it\\'s \\\\ ', toString(n), ' {', 'texts:String${end}')) AS found
      FROM (SELECT arrayJoin(arrayZip({texts:Array(String)}, {numbers:Array(UInt64)})) AS pair, pair.1 AS t, pair.2 AS n)`;
      const [row] = await clickhouse.query(sql, { texts, numbers }, countSchema);
      assert.equal(row?.found, LONG);
    });
  }
});
