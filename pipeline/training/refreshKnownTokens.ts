import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { errorMessage } from '../../shared/platform/errors.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { InputError, runCommand } from './readCsv.ts';

const USAGE = "usage: make known-tokens LISTS='one.json two.json …' (token lists, at least two)";
const OUT = 'shared/names/artifacts/knownTokens.ts';
/** Lists that must agree on an address: a single list may be wrong, or paid for. */
const LISTS_MIN = 2;

/** Fields read from a list in the format of tokenlists.org. */
const listSchema = z.object({
  name: z.string().min(1),
  timestamp: z.string().datetime({ offset: true }),
  tokens: z.array(
    z.object({
      chainId: z.number().int().positive(),
      address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'is no address'),
      name: z.string().min(1),
      symbol: z.string().min(1),
    }),
  ),
});
type TokenList = z.infer<typeof listSchema>;

const readList = (path: string): TokenList => {
  try {
    const read = listSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new InputError(`${path}: ${issue?.path.join('.')} ${issue?.message}`);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${path}: ${errorMessage(error)}`);
  }
};

/** Tokens that enough lists contain, as the first of them names them, by chain and symbol. */
const agreedOn = (lists: readonly TokenList[]): TokenList['tokens'] => {
  const listed = lists.flatMap(({ tokens }, list) => tokens.map((token) => ({ token, list })));
  const same = groupBy(listed, ({ token }) => `${token.chainId} ${token.address.toLowerCase()}`);
  return [...same.values()]
    .filter((all) => new Set(all.map(({ list }) => list)).size >= LISTS_MIN)
    .flatMap(([first]) => (first ? [first.token] : []))
    .toSorted((a, b) => a.chainId - b.chainId || a.symbol.localeCompare(b.symbol, 'en'));
};

const artifact = (lists: readonly TokenList[], tokens: TokenList['tokens']): string => {
  const chains = [...groupBy(tokens, ({ chainId }) => chainId)].map(([chainId, here]) => {
    const rows = here.map(
      ({ symbol, name, address }) =>
        `    [${JSON.stringify(symbol)}, ${JSON.stringify(name)}, '${address.toLowerCase()}'],\n`,
    );
    return `  ${chainId}: [\n${rows.join('')}  ],\n`;
  });
  // A name may contain the end of a comment.
  const sources = lists.map(({ name, timestamp }) => `${name.replaceAll('*/', '')} (${timestamp})`);
  return `/**
 * Known tokens by chain id: symbol, name, address. Each stands in at least ${LISTS_MIN} of these lists:
 * ${sources.join(', ')}.
 * Made by \`make known-tokens\`; do not edit.
 */
export const KNOWN_TOKENS: Readonly<
  Record<number, readonly (readonly [string, string, \`0x\${string}\`])[]>
> = {
${chains.join('')}};
`;
};

const main = async (): Promise<void> => {
  const { positionals: paths } = parseArgs({ allowPositionals: true });
  if (paths.length < LISTS_MIN) throw new InputError(USAGE);
  const lists = paths.map(readList);
  const tokens = agreedOn(lists);
  if (tokens.length === 0) throw new InputError('no token stands in two of the lists');
  writeFileSync(join(projectRoot(), OUT), artifact(lists, tokens));
  console.log(`${OUT}: ${tokens.length} tokens`);
};

await runCommand(main);
