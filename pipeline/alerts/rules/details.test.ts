import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { CLUSTER_CHANGES } from '../../../shared/messages/clusterMessage.ts';
import { ALERT_TYPES } from '../../../shared/rules/artifacts/alertTypes.ts';
import { LANGUAGES } from '../../../shared/sentences/language.ts';
import { exportedByTests } from '../../../shared/testing/exportedByTests.ts';
import { DETAIL_KINDS } from '../../../shared/webhooks/alertDetailKinds.ts';
import { readableDetails } from '../../../shared/webhooks/alertDetails.ts';
import type { Suspect } from '../counterparties/counterparties.ts';
import type { PoolChange, PoolStepOfToken } from '../pools/poolChange.ts';
import {
  address,
  block,
  CHAIN_ID,
  CREATOR,
  hash,
  inTx,
  POOL,
  PROFILE,
  ringChange,
  TOKEN,
  transfer,
  WETH,
} from '../testing/chainBuilder.ts';
import { findAll, RULES } from './allRules.ts';
import { clusterActivity, ringActivity } from './clusterActivity.ts';
import { lockWithdrawn, type TokenLock, unlockSoon } from './locks.ts';
import type { BlockView, Finding } from './rule.ts';

const WALLET = address('wallet');
const USD_PER_UNIT = 2_000e-18;

const step = (kind: PoolStepOfToken['kind']): PoolStepOfToken => ({
  kind,
  txHash: hash('step'),
  logIndex: 1,
  wallets: [CREATOR],
  before: 100e18,
  after: 33.333_333e18,
  paid: 66.666_667e18,
  received: 1e21,
  priceBefore: 3,
  priceAfter: 1,
});
const pool = (kind: PoolStepOfToken['kind']): PoolChange => ({
  pool: POOL,
  token: TOKEN,
  base: WETH,
  peak: 100e18,
  before: 100e18,
  after: 33.333_333e18,
  price: { peak: 3, before: 3, after: 1 },
  steps: [step(kind)],
  payouts: [{ wallets: [CREATOR], amount: 66.666_667e18 }],
});
const suspect = (changes: Partial<Suspect>): Suspect => ({
  wallet: WALLET,
  other: address('like'),
  counterparty: address('real'),
  lastSeenS: 1_700_000_000,
  worth: 'unvalued',
  direction: 'in',
  token: TOKEN,
  value: 5n * 10n ** 23n,
  txHash: hash('dust'),
  logIndex: 0,
  ...changes,
});
const lock = (kind: TokenLock['kind']): TokenLock => ({
  token: TOKEN,
  kind,
  locker: address('locker'),
  lockId: '7',
  asset: address('lp'),
  position: '0',
  owner: WALLET,
  unlockAtS: 1_700_090_000,
  share: 0.666_666_666_666_7,
  lockedTx: hash('locked'),
});

/** A block in which every rule finds something. */
const VIEW: BlockView = {
  chainId: CHAIN_ID,
  block: block(2, [
    { kind: 'creation', contract: address('new'), creator: CREATOR, txHash: hash('n'), txIndex: 0 },
    transfer('n', address('new'), ZERO_ADDRESS, CREATOR),
    transfer('mint', TOKEN, ZERO_ADDRESS, WALLET, 333_333),
    ...[ZERO_ADDRESS, WALLET].map((newOwner) => ({
      kind: 'ownershipTransferred' as const,
      contract: TOKEN,
      previousOwner: CREATOR,
      newOwner,
      ...inTx('own'),
    })),
  ]),
  pools: (['burn', 'swap', 'mint', 'sync'] as const).map(pool),
  suspects: [
    suspect({}),
    suspect({ worth: 'dust', direction: 'out' }),
    suspect({ worth: 'nothing', token: null, value: 0n }),
  ],
  usdPerUnit: () => USD_PER_UNIT,
};

const findings = (): Finding[] => {
  const profiles = [PROFILE, { ...PROFILE, name: '', symbol: '', totalSupply: null }];
  const inBlock = findAll({ ...VIEW }).flatMap((finding) => [
    finding,
    ...profiles.flatMap((profile) => finding.withProfile?.(profile, 'wallet') ?? []),
  ]);
  const ring = { clusterId: 'cl_0123456789abcdef', wallet: CREATOR, mates: [WALLET] };
  const at = { number: 2, timestampS: 1_700_003_600 };
  const kinds = (['liquidity', 'position', 'supply'] as const).map(lock);
  const outflow = { ...inTx('out'), locker: WALLET, asset: WALLET, position: '0', loggedId: null };
  return [
    ...inBlock,
    ...inBlock
      .filter(({ type }) => type === 'new_token' || type === 'rug_pull')
      .map((finding) => ringActivity(finding, ring)),
    ...CLUSTER_CHANGES.flatMap((change) =>
      clusterActivity(ringChange({ change }), [{ wallet: CREATOR, tokens: [TOKEN] }]),
    ),
    ...kinds.flatMap((one) => [...unlockSoon(one, at), ...lockWithdrawn(one, outflow, at)]),
  ];
};

const ofTests = await exportedByTests<Finding>(import.meta.filename, 'FINDINGS');

describe('details of all rules', () => {
  const all = [...findings(), ...ofTests];

  it('are of rules of which the API knows all', () => {
    assert.deepEqual(
      RULES.map(({ type }) => type),
      ALERT_TYPES,
      'run make docs',
    );
  });

  it('are of every type of alert, and every detail that has a phrase', () => {
    const types = new Set(all.map(({ type }) => type));
    const missing = ALERT_TYPES.filter((type) => !types.has(type));
    assert.deepEqual(missing, [], 'let its test export one among FINDINGS');
    const fields = new Set(all.flatMap(({ details }) => Object.keys(details)));
    assert.deepEqual([...fields].toSorted(), Object.keys(DETAIL_KINDS).toSorted());
  });

  it('are said in every language, with values that a person can read', () => {
    for (const { type, details } of all) {
      for (const language of LANGUAGES) {
        const said = readableDetails({ ...details }, language);
        const fields = Object.keys(details).filter((name) => details[name as 'lock'] !== undefined);
        const isSaid = fields.length - (details.tx_hash === null ? 1 : 0);
        assert.equal(said.length, isSaid, type);
        for (const { kind, label, text } of said) {
          const place = `${language} ${type} ${label}: ${text}`;
          assert.notEqual(kind, 'text', place);
          assert.match(label, /\S/, place);
          if (/^(?:0x|cl_|ring)/.test(text)) continue;
          assert.doesNotMatch(text, /undefined|null|NaN|true|_|\d{10}|[.,]\d{4}/, place);
          if (language === 'zh' || language === 'ru') {
            assert.doesNotMatch(text.replaceAll(/US\$|UTC/g, ''), /[A-Za-z]/, place);
          }
        }
      }
    }
  });
});
