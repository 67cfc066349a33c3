import { readSources, ZOO_DIR } from './compileContracts.ts';
import type { TokenKind } from './createDevnet.ts';

/** What must come of a token of the zoo, as the NatSpec of its contract says. */
export interface ZooToken {
  readonly kind: TokenKind;
  /** `@custom:verdict` */
  readonly prediction: 'SCAM' | 'LEGIT';
  /** `@custom:finding`: checks that fail with more than information. */
  readonly fails: readonly string[];
  /** `@custom:steps`: what is done with it, where it is not what is done with most. */
  readonly steps: readonly string[] | undefined;
}

const TOKEN = /((?:^\/\/\/.*\n)*)^contract (\w+Token)\b/gm;

const listAfter = (natSpec: string, tag: string): string[] | undefined =>
  new RegExp(`@custom:${tag} (.*)`).exec(natSpec)?.[1]?.split(', ');

/** The tokens of `contracts/zoo`: every contract whose name ends with `Token`, in the order of files and lines. */
export const readZoo = async (): Promise<ZooToken[]> =>
  Object.entries(await readSources(ZOO_DIR)).flatMap(([file, { content }]) =>
    [...content.matchAll(TOKEN)].map(([, natSpec = '', name = '']): ZooToken => {
      const prediction = listAfter(natSpec, 'verdict')?.[0];
      if (prediction !== 'SCAM' && prediction !== 'LEGIT')
        throw new Error(`contracts/${file}: ${name} lacks @custom:verdict SCAM or LEGIT`);
      return {
        kind: name as TokenKind,
        prediction,
        fails: listAfter(natSpec, 'finding') ?? [],
        steps: listAfter(natSpec, 'steps'),
      };
    }),
  );
