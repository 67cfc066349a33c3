import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressOf } from '../../shared/testing/evmData.ts';
import {
  isAddress,
  isCount,
  isNumber,
  isNumbers,
  isText,
  isTexts,
  rowSchema,
} from './rowSchema.ts';

interface Row {
  readonly address: string;
  readonly count: number;
  readonly number: number;
  readonly text: string;
  readonly texts: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
}

const ROW: Row = {
  address: addressOf(1),
  count: 0,
  number: -1.5,
  text: '',
  texts: [],
  numbers: { a: 1 },
};

it('takes rows as they are and names a field that is not as it must be', () => {
  const schema = rowSchema<Row>({
    address: isAddress,
    count: isCount,
    number: isNumber,
    text: isText,
    texts: isTexts,
    numbers: isNumbers,
  });
  assert.deepEqual(schema.parse(ROW), ROW);
  const wrong: Readonly<Record<keyof Row, readonly unknown[]>> = {
    address: [undefined, '0x01', addressOf(0xab).toUpperCase()],
    count: [-1, 0.5, '0', 2 ** 53],
    number: ['1', null, Number.NaN],
    text: [1, null],
    texts: ['', [1]],
    numbers: [null, 1, { a: '1' }],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { error } = schema.safeParse({ ...ROW, [name]: value });
      assert.match(error?.message ?? '', new RegExp(`"message": "${name} is no such value"`));
    }
  }
});
