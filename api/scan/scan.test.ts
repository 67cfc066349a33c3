import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sentence } from '../../shared/sentences/sentence.ts';
import { writeSentence } from '../../shared/sentences/writeSentence.ts';
import { addressOf, createFakePorts, NOW_MS, verdictOf, walletOf } from '../testing/fakePorts.ts';
import { createFakeTokens } from '../testing/fakeTokens.ts';
import { startApp } from '../testing/startApp.ts';
import { scanResultSchema } from './scanResult.ts';

const SCAM = addressOf(1);
const HONEST = addressOf(2);
const UNCLEAR = addressOf(3);
const UNKNOWN = addressOf(0xee);
const SCAMMER = addressOf(0xcc);
const TRADER = addressOf(0xcd);

const { doc } = verdictOf(SCAM);
const reason = 'A simulated sale reverts.';
const VERDICTS = [
  verdictOf(SCAM, {
    doc: {
      ...doc,
      checks: [{ id: 'sell_simulation', status: 'fail', severity: 'critical', reason }],
    },
  }),
  verdictOf(HONEST, { prediction: 'LEGIT', confidence: 0.97, riskScore: 3 }),
  verdictOf(UNCLEAR, { prediction: 'LEGIT', confidence: 0.55, riskScore: 45 }),
];

describe('scans in the form that wallets show', () => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let fakes: ReturnType<typeof createFakePorts>;
  const started: string[] = [];
  before(async () => {
    fakes = createFakePorts({ tokens: createFakeTokens(VERDICTS) });
    const known = [
      walletOf(SCAMMER, { isKnownScammer: true, riskScore: 96 }),
      walletOf(TRADER, { isKnownScammer: false, riskScore: 10 }),
    ];
    const { ports } = fakes;
    app = await startApp({
      ...ports,
      wallets: {
        ...ports.wallets,
        find: async (address) => known.find((wallet) => wallet.address === address),
      },
      jobs: {
        ...ports.jobs,
        start: async ({ family, token }) => {
          started.push(token);
          const record = { jobId: 'job_1', family, chainId: 1, token, createdAtMs: NOW_MS };
          return { record: { ...record, status: 'analyzing' }, isNew: true };
        },
      },
    });
  });
  after(() => app.close());

  const post = (path: string, body: unknown, key = fakes.keys.add('free').key) =>
    app.call(path, { method: 'POST', key, body });

  it('gives each address the type that its verdict or record has', async () => {
    const expected = [
      [SCAM, 'Malicious'],
      [HONEST, 'Benign'],
      [UNCLEAR, 'Warning'],
      [SCAMMER, 'Malicious'],
      [TRADER, 'Benign'],
      [UNKNOWN, 'Info'],
    ] as const;
    for (const [address, type] of expected) {
      const { status, body } = await post('/api/scan/address', { address });
      const result = scanResultSchema.strict().parse(body);
      assert.deepEqual([status, result.address, result.result_type], [200, address, type]);
      assert.equal(result.reason === '', type === 'Benign', `${address}: ${result.reason}`);
      assert.notEqual(result.description, '');
    }
  });

  it('shows what failed, in a language', async () => {
    const { body } = await post('/api/scan/address', { address: SCAM, language: 'es' });
    const result = scanResultSchema.parse(body);
    assert.equal(result.description, 'No compre.');
    assert.equal(result.malicious_score, 0.945);
    assert.deepEqual(result.metadata, { name: 'Moon Pepe', symbol: 'MPEPE' });
    assert.equal(result.reason, 'sell_simulation');
    assert.deepEqual(result.features, [
      { feature_id: 'sell_simulation', type: 'Malicious', description: reason },
    ]);
  });

  it('speaks of wallets and of what is unknown in the language too', async () => {
    const texts = async (address: string, language: string) => {
      const { body } = await post('/api/scan/address', { address, language });
      const { description, features } = scanResultSchema.parse(body);
      return [description, ...features.map((feature) => feature.description)];
    };
    assert.deepEqual(await texts(SCAMMER, 'es'), [
      'Creó 3 tokens, de los que 2 eran estafas.',
      'Creó 3 tokens; 2 eran estafas.',
    ]);
    assert.equal((await texts(SCAMMER, 'en'))[0], 'Created 3 tokens, of which 2 were scams.');
    assert.deepEqual(await texts(SCAMMER, 'zh'), [
      '创建了 3 个代币，其中 2 个是骗局。',
      '创建了 3 个代币，其中 2 个是骗局。',
    ]);
    assert.equal((await texts(TRADER, 'ru'))[0], writeSentence(sentence('noFinding'), 'ru'));
    assert.deepEqual(await texts(UNKNOWN, 'ru'), ['Ещё не проверено.']);
  });

  it('takes the chain by name, number and hex, and refuses another', async () => {
    for (const chain of ['ethereum', 'Ethereum', '1', '0x1']) {
      assert.equal((await post('/api/scan/address', { address: SCAM, chain })).status, 200, chain);
    }
    for (const path of ['/api/scan/address', '/api/scan/tokens']) {
      const body = path.endsWith('address') ? { address: SCAM } : { tokens: [SCAM] };
      const { status, body: error } = await post(path, { ...body, chain: 'base' });
      assert.deepEqual([status, error.details[0].path], [400, 'chain']);
      assert.match(error.message, /ethereum, 1, 0x1/);
    }
  });

  it('scans many tokens once each, and starts the analysis of those not known', async () => {
    const { key, family } = fakes.keys.add('free');
    const tokens = [SCAM, SCAM.toUpperCase().replace('0X', '0x'), HONEST, UNKNOWN];
    const { status, body } = await post('/api/scan/tokens', { tokens }, key);
    assert.equal(status, 200);
    const types = Object.entries<any>(body.results).map(([address, result]) => [
      address,
      result.result_type,
    ]);
    assert.deepEqual(types, [
      [SCAM, 'Malicious'],
      [HONEST, 'Benign'],
      [UNKNOWN, 'Info'],
    ]);
    assert.deepEqual(started, [UNKNOWN]);
    assert.equal(fakes.keys.used(family), 3);
  });

  it('refuses lists that are empty or too long', async () => {
    for (const tokens of [[], Array.from({ length: 101 }, () => SCAM), ['0x12']]) {
      const { status, body } = await post('/api/scan/tokens', { tokens });
      assert.equal(status, 400);
      assert.match(body.details[0].path, /^tokens/);
    }
  });
});
