import { appendFileSync, writeFileSync } from 'node:fs';
import { failedIds, startDevnetScorer } from '../testing/devnetScorer.ts';
import { readOptions, runCommand } from './readCsv.ts';
import { createTrialChain } from './trial/trialChain.ts';
import { readWorld } from './trial/trialContracts.ts';
import { launchTrial } from './trial/trialLaunch.ts';
import { tradeTrial } from './trial/trialTrades.ts';

const USAGE =
  'usage: make trial OUT=trial.jsonl [REALS=220] [OWNERS=all|frauds] [DATA=../shared/data]';
const TOKENS_PER_REPORT = 25;

/**
 * Deploys third-party contracts on a devnet, trades them for an hour, and writes the scorer's verdict on each.
 */
const main = async (): Promise<void> => {
  const given = readOptions(USAGE, ['out'], ['reals', 'owners', 'data']);
  const { out, reals = '220', owners = 'all', data = '../shared/data' } = given;
  const world = await readWorld(data, Number(reals));
  const stack = await startDevnetScorer({ genesis: world.height });
  try {
    const chain = createTrialChain(stack.node);
    await chain.takeOver();
    const tokens = await launchTrial(
      chain,
      world,
      ({ label }) => label === 'fraud' || owners === 'all',
    );
    console.error(`${tokens.length} of ${world.contracts.length} contracts have a pool`);
    const { timestamp } = await stack.devnet.publicClient.getBlock();
    await tradeTrial(chain, tokens, Number(timestamp));
    await chain.handBack();
    await stack.takeIn();
    console.error('traded');
    writeFileSync(out, '');
    for (const [i, { address, label }] of tokens.entries()) {
      try {
        await stack.analyzer.analyze(address);
        const { prediction, doc } = await stack.verdict(address);
        const { probability, checks, shap_values } = doc;
        const row = {
          address,
          label,
          prediction,
          probability,
          shap_values,
          features: doc.features,
          fails: failedIds(doc),
          checks: checks.map(({ id, status, severity, value, shown_by, held_by, reason }) => {
            return {
              id,
              status,
              severity,
              value,
              shown_by,
              held_by,
              ...(status === 'fail' && { reason }),
            };
          }),
        };
        appendFileSync(out, `${JSON.stringify(row)}\n`);
      } catch (error) {
        console.error(`${address} ${label}: ${String(error)}`);
      }
      if ((i + 1) % TOKENS_PER_REPORT === 0) console.error(`${i + 1} scored`);
    }
  } finally {
    await stack.stop();
  }
};

await runCommand(main);
