import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CALL_SEQUENCE_CODE,
  clockedContract,
  clockOf,
  readSequence,
  type Simulation,
  sequenceParams,
  simulationSchema,
} from './callSequence.ts';

const address = (digit: string) => `0x${digit.repeat(40)}` as const;
const [TRADER, ROUTER, TOKEN, OWNER] = ['1', '2', '3', '4'].map(address) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const word = (value: number | bigint | string): string =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0');

const SIMULATION: Simulation = simulationSchema.parse([
  {
    blockStateCalls: [
      {
        blockOverrides: { number: '0x65', time: '0x3e8' },
        stateOverrides: { [TRADER]: { balance: '0xff' }, [ROUTER]: { code: '0xfe' } },
        calls: [{ from: TRADER, to: ROUTER, input: '0xaabb', gas: '0x10', value: '0x5' }],
      },
      {
        blockOverrides: { number: '0x66', time: '0x3f4' },
        calls: [{ from: OWNER, to: TOKEN, input: '0x', gas: '0x20' }],
      },
    ],
    validation: false,
  },
  '0x64',
]);

describe('sequenceParams', () => {
  it('lists the calls of all blocks, each with its sender', () => {
    const [call, block, overrides] = sequenceParams(SIMULATION) as [
      { from: string; to: string; data: string },
      string,
      object,
    ];
    const steps = [
      ...[TRADER, ROUTER, 5, 16, 2].map(word),
      'aabb'.padEnd(64, '0'),
      ...[OWNER, TOKEN, 0, 32, 0].map(word),
    ];
    assert.deepEqual([call.from, call.to, call.data], [TRADER, TRADER, `0x${steps.join('')}`]);
    assert.equal(block, '0x64');
    assert.deepEqual(overrides, {
      [TRADER]: { balance: '0xff', code: CALL_SEQUENCE_CODE },
      [ROUTER]: { code: '0xfe' },
      [OWNER]: { code: CALL_SEQUENCE_CODE },
    });
  });

  it('puts the clock forward between blocks by what passes', () => {
    const clock = clockOf('time', [{ shownBy: TOKEN, runs: ROUTER, code: '0x47' }]);
    const [{ data }, , overrides] = sequenceParams(SIMULATION, clock) as [
      { data: string },
      string,
      Record<string, object>,
    ];
    const wait = [TRADER, TOKEN, 12, 0, 0].map(word).join('');
    assert.ok(data.includes(wait));
    assert.deepEqual(overrides[TOKEN], { balance: '0x3e8' });
    assert.deepEqual(overrides[ROUTER], { code: '0x47' });
  });
});

describe('a later block that sets a balance', () => {
  it('shows code of the simulation its number, and until then that of the first block', () => {
    const [{ blockStateCalls, ...rest }, block] = SIMULATION;
    const [first, second] = blockStateCalls;
    assert(first && second);
    const shown = { ...second, stateOverrides: { [TOKEN]: { balance: '0x2065', code: '0x47' } } };
    const simulation = simulationSchema.parse([
      { ...rest, blockStateCalls: [first, shown] },
      block,
    ]);
    const [{ data }, , overrides] = sequenceParams(simulation) as [
      { data: string },
      string,
      Record<string, object>,
    ];
    assert.deepEqual(overrides[TOKEN], { balance: '0x65', code: '0x47' });
    const raised = [TRADER, TOKEN, 8_192, 0, 0].map(word).join('');
    const sale = [OWNER, TOKEN, 0, 32, 0].map(word).join('');
    assert.ok(data.endsWith(`${raised}${sale}`));
    const blocks = [first, shown, shown];
    const again = simulationSchema.parse([{ ...rest, blockStateCalls: blocks }, block]);
    const [call] = sequenceParams(again) as [{ data: string }];
    assert.ok(call.data.endsWith(`${raised}${sale}${sale}`));
  });
});

describe('readSequence', () => {
  const answers = [word(1), word(100), word(3), 'abcdef'.padEnd(64, '0'), ...[0, 7, 0].map(word)];

  it('reads the answers by block', () => {
    assert.deepEqual(readSequence(SIMULATION, `0x${answers.join('')}`), [
      { calls: [{ status: '0x1', gasUsed: '0x526c', returnData: '0xabcdef' }] },
      { calls: [{ status: '0x0', gasUsed: '0x520f', returnData: '0x' }] },
    ]);
  });

  const strange: readonly [string, unknown][] = [
    ['nothing, as an account without code gives', '0x'],
    ['too little', `0x${answers.slice(0, 4).join('')}`],
    ['too much', `0x${[...answers, word(0)].join('')}`],
    ['a length beyond all', `0x${[word(1), word(1), 'f'.repeat(64), ...answers].join('')}`],
    ['no text', null],
  ];
  for (const [name, answer] of strange) {
    it(`does not read ${name}`, () => assert.equal(readSequence(SIMULATION, answer), undefined));
  }
});

describe('clockedContract', () => {
  const clocked = (code: `0x${string}`, kind: 'time' | 'number') =>
    clockedContract(TOKEN, { proxy: null, code }, kind);

  it('replaces the instruction, and leaves the same byte in pushed data alone', () => {
    // TIMESTAMP, PUSH2 0x4243, NUMBER, TIMESTAMP.
    assert.equal(clocked('0x426142434342', 'time')?.code, '0x476142434347');
    assert.equal(clocked('0x426142434342', 'number')?.code, '0x426142434742');
  });

  it('finds none in code that does not look at the clock', () => {
    assert.equal(clocked('0x614243', 'time'), undefined);
    assert.equal(clocked('0x614243', 'number'), undefined);
  });

  it('shows the clock by the contract, and changes the code that it runs', () => {
    const implementation = OWNER;
    const proxy = { kind: 'eip1167', implementation, slot: null, admin: null } as const;
    const expected = { shownBy: TOKEN, runs: implementation, code: '0x47' };
    assert.deepEqual(clockedContract(TOKEN, { proxy, code: '0x43' }, 'number'), expected);
  });
});
