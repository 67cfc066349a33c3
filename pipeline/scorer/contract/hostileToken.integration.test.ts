import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { concatHex, encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createEndpoint } from '../../../shared/platform/rpc/endpoint.ts';
import {
  createEndpointPool,
  type EndpointPool,
} from '../../../shared/platform/rpc/endpointPool.ts';
import { createHttpPost } from '../../../shared/platform/rpc/httpPost.ts';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import { compileSources } from '../../../shared/testing/devnet/compileContracts.ts';
import { createDevnet, type Devnet } from '../../../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../../../shared/testing/devnet/devnetAddresses.ts';
import { type Service, startAnvil } from '../../../shared/testing/services.ts';
import { createSimulatingNode } from '../simulation/simulatingNode.ts';
import { createSimulations } from '../simulation/simulations.ts';
import { headOf, withoutSimulations } from '../testing/simulations.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { createContractReader } from './contractReader.ts';

const { weth, factory } = DEVNET_ADDRESSES;
const CREATOR = 0;
const BUYER = 1;
const PATH = '../simulation/fixtures/HostileToken.sol';
/** In the order of the enum of HostileToken.sol, without `NONE`. */
const ATTACKS = [
  'hugeAnswers',
  'hugeReverts',
  'gasBomb',
  'controlText',
  'liesToStrangers',
  'alternatingBlocks',
  'reentersBuyer',
] as const;
const ABI = parseAbi(['function arm(uint8 attack)']);

/** Milliseconds within which a token is read and its trade simulated, whatever it does. */
const READ_MS_MAX = 120_000;
/** Bytes of memory that reading a token may retain. */
const HELD_BYTES_MAX = 100 * 2 ** 20;
/** Bytes of a token's stored data: a verdict's document contains it. */
const KEPT_BYTES_MAX = 100_000;
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe('a token that attacks whoever looks at it', () => {
  let anvil: Service;
  let devnet: Devnet;
  let pool: EndpointPool;
  let creation: Hex;

  before(async () => {
    anvil = await startAnvil();
    devnet = await createDevnet({ url: anvil.url });
    await devnet.deployUniswap();
    pool = createEndpointPool(
      [createEndpoint({ http: createHttpPost(anvil.url), clock: systemClock })],
      systemClock,
    );
    creation = (await compileSources(import.meta.url, [PATH]))(PATH, 'HostileToken').creation;
  });

  after(async () => {
    pool?.close();
    await anvil?.stop();
  });

  const deploy = async (attack: (typeof ATTACKS)[number]): Promise<{ token: Hex; pair: Hex }> => {
    const types = [{ type: 'address' }, { type: 'address' }] as const;
    const data = concatHex([creation, encodeAbiParameters(types, [factory, weth])]);
    const [deployment] = await devnet.transact([{ from: CREATOR, data, gas: 6_000_000n }]);
    assert(deployment?.contractAddress);
    const token = deployment.contractAddress.toLowerCase() as Hex;
    await devnet.addLiquidity({ address: token, creator: CREATOR }, 10);
    const armed = encodeFunctionData({ abi: ABI, args: [ATTACKS.indexOf(attack) + 1] });
    await devnet.buy(token, BUYER, 0.1);
    await devnet.transact([{ from: CREATOR, to: token, data: armed }]);
    return { token, pair: await devnet.pairOf(token) };
  };

  const node: ChainNode = { batch: (calls) => pool.run((endpoint) => endpoint.call(calls)) };

  /** All queries about a token's contract, with the time and memory they take. */
  const look = async (by: ChainNode, { token, pair }: { token: Hex; pair: Hex }) => {
    const startedMs = performance.now();
    const heldBefore = process.memoryUsage().heapUsed;
    const simulator = createSimulations({ node: by, weth, clock: systemClock });
    const [simulation] = await simulator.simulate(
      [{ kind: 'reserves', token, pool: pair, baseToken: weth }],
      await headOf(by),
    );
    const profile = await createContractReader({ node: by, weth }).read({
      token,
      creator: devnet.address(CREATOR),
      codeHash: ZERO_HASH,
      pool: { kind: 'reserves', pool: pair, baseToken: weth },
    });
    assert(simulation && profile);
    const { probe } = profile;
    const kept = JSON.stringify([simulation, profile]);
    assert(performance.now() - startedMs < READ_MS_MAX, 'bounded in time');
    assert(process.memoryUsage().heapUsed - heldBefore < HELD_BYTES_MAX, 'bounded in memory');
    assert(kept.length < KEPT_BYTES_MAX, `${kept.length} bytes are kept`);
    const shown = [
      'reason' in simulation ? simulation.reason : null,
      probe.kind === 'unknown' ? probe.reason : (probe.trade?.laterReason ?? null),
    ];
    for (const reason of shown) {
      if (reason) assert.doesNotMatch(writeSentence(reason, 'en'), CONTROL);
    }
    return { simulation, profile };
  };

  for (const attack of ATTACKS) {
    it(`is read within bounds, by simulations and by calls: ${attack}`, async () => {
      const found = await deploy(attack);
      const called = createSimulatingNode(withoutSimulations(node), systemClock);
      for (const by of [node, called]) {
        const { simulation } = await look(by, found);
        // Nobody can sell it, so no result may say that one can. Reentrancy alone harms nobody, and behaviour that
        // alternates with blocks may work in the simulated one.
        if (attack === 'reentersBuyer') assert.equal(simulation.kind, 'traded');
        else if (attack !== 'alternatingBlocks') assert.notEqual(simulation.kind, 'traded');
      }
    });
  }

  it('is not believed what it says to strangers: its pool knows better', async () => {
    const { simulation } = await look(node, await deploy('liesToStrangers'));
    assert.equal(simulation.kind, 'sellFails');
  });
});
