import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf as address } from '../../../shared/testing/evmData.ts';
import { inRing, made, movement, walletFactsOf } from '../testing/walletFactsOf.ts';
import type { WalletFacts } from './walletFacts.ts';
import { lossesOf, snipesOf, walletRole } from './walletRow.ts';

const CREATOR = 7;
const TOKEN = 8;
const OTHER_TOKEN = 9;
const snipes = {
  movements: [
    movement('bought', 'out', TOKEN, { block: 5 }),
    movement('bought', 'out', OTHER_TOKEN, { block: 6 }),
  ],
  launchBlocks: new Map([
    [address(TOKEN), 5],
    [address(OTHER_TOKEN), 6],
  ]),
};

const CASES: [string, string, Partial<WalletFacts>][] = [
  ['unknown without any facts', 'unknown', {}],
  ['a hub, whatever it did', 'unknown', { isHub: true, made: [made(TOKEN)] }],
  [
    'the master of a ring, also one who made tokens',
    'master',
    { ring: inRing('master'), made: [made(TOKEN)] },
  ],
  ['who made a token, also in a ring', 'creator', { made: [made(TOKEN)], ring: inRing('puppet') }],
  ['who funds a ring', 'funder', { ring: inRing('funder') }],
  ['who relays money in a ring', 'puppet', { ring: inRing('relay') }],
  ['who collects in a ring', 'puppet', { ring: inRing('collector') }],
  [
    'who sends money to a creator',
    'funder',
    { movements: [movement('native', 'out', CREATOR)], creators: new Set([address(CREATOR)]) },
  ],
  [
    'unknown who gets money from a creator',
    'unknown',
    { movements: [movement('native', 'in', CREATOR)], creators: new Set([address(CREATOR)]) },
  ],
  ['who buys two tokens in their first block', 'sniper', snipes],
  ['a trader who does it once', 'trader', { ...snipes, movements: snipes.movements.slice(0, 1) }],
  ['who adds liquidity', 'liquidity_provider', { movements: [movement('lpAdded', 'out', TOKEN)] }],
  [
    'who removes liquidity',
    'liquidity_provider',
    { movements: [movement('lpRemoved', 'out', TOKEN)] },
  ],
  [
    'who paid for a token whose liquidity left',
    'victim',
    { movements: [movement('bought', 'out', TOKEN)], drained: new Set([address(TOKEN)]) },
  ],
  [
    'a trader who sold before for more',
    'trader',
    {
      movements: [
        movement('bought', 'out', TOKEN),
        movement('sold', 'out', TOKEN, { value: 2, block: 11 }),
      ],
      drained: new Set([address(TOKEN)]),
    },
  ],
  ['who sells', 'trader', { movements: [movement('sold', 'out', TOKEN)] }],
  ['who was given tokens', 'holder', { movements: [movement('token', 'in', CREATOR)] }],
];

describe('walletRole', () => {
  for (const [what, role, changes] of CASES) {
    it(`is ${role}: ${what}`, () => {
      assert.equal(walletRole(walletFactsOf(changes)), role);
    });
  }

  it('counts as sniped only what was bought in the very block of the first liquidity', () => {
    const late = { ...snipes, movements: [movement('bought', 'out', TOKEN, { block: 6 })] };
    assert.equal(snipesOf(walletFactsOf(late)).length, 0);
    assert.equal(snipesOf(walletFactsOf(snipes)).length, 2);
  });

  it('counts as lost only what was not got back', () => {
    const movements = [
      movement('bought', 'out', TOKEN, { value: 3 }),
      movement('sold', 'out', TOKEN, { value: 1 }),
      movement('bought', 'out', OTHER_TOKEN),
    ];
    const lost = lossesOf(walletFactsOf({ movements, drained: new Set([address(TOKEN)]) }));
    assert.deepEqual(
      lost.map(({ other }) => other),
      [address(TOKEN)],
    );
  });
});
