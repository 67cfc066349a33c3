import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { parseEnv } from 'node:util';
import countTypos from 'damerau-levenshtein';
import { CHAIN_PROFILES } from '../../shared/chain/chains.ts';
import { CHOSEN_NAMES, SETTING_NAMES, type Settings, type Stack } from './environment.ts';
import {
  answersNats,
  answersRedis,
  clickhouseProblem,
  type NodeAnswer,
  nodeAnswer,
  tcpProblem,
} from './probes.ts';

// Finds errors in the variables of `make up` before anything is built or started.

/** Where each variable was written. */
export type Given = {
  /** In `.env` or on the command line of make: meant for the stack. */
  certain: readonly string[];
  /** In the shell's environment, which also contains variables of other programs. */
  possible: readonly string[];
};

/** Names of the variables on make's command line, which make passes on in MAKEFLAGS after `--`. */
const namesGivenToMake = (makeFlags: string): string[] => {
  const [, overrides = ''] = ` ${makeFlags}`.split(/ -- (.*)/s);
  return [...overrides.matchAll(/(?<=^|[^\\]\s)([A-Za-z_]\w*)=/g)].map(([, name = '']) => name);
};

/** Sorts the names of the variables by where they were written. */
export const namesGiven = (envFile: string, environment: NodeJS.ProcessEnv): Given => ({
  certain: [
    ...(existsSync(envFile) ? Object.keys(parseEnv(readFileSync(envFile, 'utf8'))) : []),
    ...namesGivenToMake(environment['MAKEFLAGS'] ?? ''),
  ],
  possible: Object.keys(environment),
});

/** Allowed typing mistakes as a share of a name's length: none in a name of four letters, one in RPC_URL. */
const TYPO_SHARE = 0.2;
const plain = (name: string): string => name.replaceAll('_', '').toUpperCase();

/** The setting that a name may have been meant for. */
const nearestSetting = (name: string): string | undefined =>
  [...SETTING_NAMES]
    .map((setting) => ({ setting, typos: countTypos(plain(name), plain(setting)).steps }))
    .filter(({ setting, typos }) => typos <= plain(setting).length * TYPO_SHARE)
    .toSorted((left, right) => left.typos - right.typos)[0]?.setting;

/**
 * Unknown names: all those meant for the stack, and those of the shell that nearly match a setting. One that is meant
 * for the stack and nearly matches a setting is an error; others only give a warning.
 */
export const unknownNames = (given: Given): { problems: string[]; warnings: string[] } => {
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const name of new Set([...given.certain, ...given.possible])) {
    if (SETTING_NAMES.has(name)) continue;
    const nearest = nearestSetting(name);
    const isCertain = given.certain.includes(name);
    if (CHOSEN_NAMES.has(name)) {
      if (isCertain) warnings.push(`${name} has no effect: the stack chooses it`);
    } else if (nearest !== undefined) {
      (isCertain ? problems : warnings).push(`${name} is not a setting: did you mean ${nearest}?`);
    } else if (isCertain) {
      warnings.push(`${name} is not a setting and has no effect: see .env.example`);
    }
  }
  return { problems, warnings };
};

/** The part of a node's URL that may be shown: keys are in users, paths and queries. */
const shownUrl = (url: string): string => {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
};

/** Errors in the chain's settings, and the id of the chain that the nodes serve. */
const checkChain = async (
  settings: Settings,
): Promise<{ problems: string[]; chainId: string | undefined }> => {
  const { RPC_URL: list, CHAIN_ID: givenId, START_BLOCK: start } = settings;
  const urls = (list ?? '').split(',').map((url) => url.trim());
  const asked = urls.filter((url) => url.startsWith('http'));
  if (list === undefined) {
    const problem = `START_BLOCK: ${start} is beyond the development chain, which begins at block 0 and is read from there: leave it out, or give RPC_URL`;
    return { problems: Number(start ?? 0) > 0 ? [problem] : [], chainId: undefined };
  }
  if (asked.length === 0) {
    const problems = givenId
      ? []
      : ['RPC_URL: has no http:// or https:// node to ask: set CHAIN_ID'];
    return { problems, chainId: givenId };
  }
  const answers = await Promise.all(asked.map(nodeAnswer));
  const named = answers.map((answer, index) => ({ answer, url: shownUrl(asked[index] ?? '') }));
  const nodes = named.filter(
    (one): one is { url: string; answer: NodeAnswer } => 'chainId' in one.answer,
  );
  if (nodes.length === 0) {
    const causes = named.map(
      ({ url, answer }) => `${url}: ${'problem' in answer && answer.problem}`,
    );
    return { problems: [`RPC_URL: no node answers: ${causes.join('; ')}`], chainId: givenId };
  }
  const chainId = givenId ?? String(nodes[0]?.answer.chainId);
  const problems = nodes
    .filter(({ answer }) => String(answer.chainId) !== chainId)
    .map(
      ({ url, answer }) =>
        `${givenId ? 'CHAIN_ID' : 'RPC_URL'}: ${url} serves chain ${answer.chainId}, not ${chainId}`,
    );
  const head = Math.max(...nodes.map(({ answer }) => answer.head));
  if (start !== undefined && Number(start) > head) {
    problems.push(
      `START_BLOCK: ${start} is beyond the head of the chain, block ${head}: give 0 to ${head}, or leave it out to begin at the head`,
    );
  }
  if (settings.WETH_ADDRESS === undefined && !CHAIN_PROFILES.has(Number(chainId))) {
    problems.push(`WETH_ADDRESS: must be set for chain ${chainId}, which is not a known one`);
  }
  return { problems, chainId };
};

/** Whether this machine has the address on which the API is to listen. */
const checkHost = async ({ HOST: host }: Settings): Promise<string[]> =>
  host === undefined
    ? []
    : new Promise((resolve) => {
        const server = createServer();
        server.once('error', () => resolve([`HOST: ${host} is not an address of this machine`]));
        server.listen(0, host, () => server.close(() => resolve([])));
      });

const checkServers = async (stack: Stack): Promise<string[]> => {
  const first = (urls: string): string => urls.split(',')[0] ?? '';
  const reach = async (
    name: string,
    urls: string,
    port: number,
    isReady: (urls: string) => Promise<boolean>,
  ): Promise<string[]> => {
    const url = first(urls);
    const cause = await tcpProblem(url, port);
    if (cause) return [`${name} does not answer at the URL given, ${shownUrl(url)}: ${cause}`];
    if (await isReady(urls)) return [];
    return [
      `${name} at ${shownUrl(url)} does not take the user and password of the URL given, or is not ready`,
    ];
  };
  const clickhouse = async (): Promise<string[]> => {
    const cause = await clickhouseProblem(stack.clickhouseUrl);
    const url = shownUrl(stack.clickhouseUrl);
    return cause ? [`clickhouse does not answer at the URL given, ${url}: ${cause}`] : [];
  };
  const { runs } = stack;
  const checks = await Promise.all([
    runs.nats ? [] : reach('nats', stack.natsUrl, 4_222, answersNats),
    runs.redis ? [] : reach('redis', stack.redisUrl, 6_379, answersRedis),
    runs.clickhouse ? [] : clickhouse(),
  ]);
  return checks.flat();
};

/**
 * Checks nodes and servers that run elsewhere. Throws an error that lists all problems.
 * @returns the settings with the id of the chain.
 */
export const checkReachable = async (
  settings: Settings,
  stack: Stack,
  { isServersOnly }: { isServersOnly: boolean },
): Promise<Settings> => {
  const [chain, servers, host] = await Promise.all([
    checkChain(settings),
    checkServers(stack),
    checkHost(settings),
  ]);
  // Servers alone start without the chain, but its id must be known.
  const needsChain = !isServersOnly || chain.chainId === undefined;
  const problems = [...(needsChain ? chain.problems : []), ...servers, ...host];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return chain.chainId === undefined ? settings : { ...settings, CHAIN_ID: chain.chainId };
};
