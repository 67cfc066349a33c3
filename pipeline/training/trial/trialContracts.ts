import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { IMPLEMENTATION_SLOTS } from '../../scorer/contract/contractState.ts';
import { readCodes, readLabels } from '../measurePowers.ts';

/** A contract to deploy on a devnet unchanged: its code, and the known part of its storage. */
export interface TrialContract {
  readonly address: Hex;
  /** `fraud`: code with a power that was verified by hand. `real`: a token from mainnet blocks. */
  readonly label: 'fraud' | 'real';
  readonly code: Hex;
  readonly storage: Readonly<Record<string, string>>;
}

/** Contracts of a trial, and the contracts to which their storage points. */
export interface TrialWorld {
  readonly contracts: readonly TrialContract[];
  readonly others: ReadonlyMap<Hex, Pick<TrialContract, 'code' | 'storage'>>;
  /** The newest of the recorded blocks: storage contains heights, such as that of a launch. */
  readonly height: number;
}

const accountsSchema = z.record(
  z.object({ storage: z.record(z.string()), codeHash: z.string().optional() }),
);
const codesSchema = z.record(z.string());
/** transfer, balanceOf, transferFrom, allowance, approve, totalSupply; and ownerOf of an ERC-721. */
const TOKEN_SELECTORS = ['a9059cbb', '70a08231', '23b872dd', 'dd62ed3e', '095ea7b3', '18160ddd'];
const OWNER_OF = '6352211e';

const isToken = (code: string): boolean =>
  TOKEN_SELECTORS.every((selector) => code.includes(selector)) && !code.includes(OWNER_OF);

const parseGzip = <T>(path: string, schema: z.ZodType<T>): T =>
  schema.parse(JSON.parse(gunzipSync(readFileSync(path)).toString()));

const addressIn = (word: string | undefined): Hex | undefined => {
  const digits = (word ?? '0x0').slice(2).padStart(64, '0').slice(24).toLowerCase();
  return BigInt(`0x${digits}`) === 0n ? undefined : `0x${digits}`;
};

type Account = Pick<TrialContract, 'code' | 'storage'>;

const prestateOf = (data: string): string => join(data, 'mainnet-blocks', 'prestate');

/** Every contract of the recorded blocks, with the storage that they read before they wrote it. */
const readAccounts = (data: string): Map<Hex, Account> => {
  const codes = parseGzip(join(data, 'mainnet-blocks', 'codes.json.gz'), codesSchema);
  const accounts = new Map<Hex, Account>();
  for (const file of readdirSync(prestateOf(data)).sort()) {
    const world = parseGzip(join(prestateOf(data), file), accountsSchema);
    for (const [address, { storage, codeHash }] of Object.entries(world)) {
      const code = codeHash === undefined ? undefined : codes[codeHash];
      if (!code) continue;
      const known = accounts.get(address as Hex)?.storage;
      accounts.set(address as Hex, { code: code as Hex, storage: { ...known, ...storage } });
    }
  }
  return accounts;
};

/** The code that answers for an account: its own, or that of its implementation. */
const answering = ({ code, storage }: Account, accounts: ReadonlyMap<Hex, Account>): string => {
  const implementations = IMPLEMENTATION_SLOTS.flatMap(({ slot }) => {
    const target = addressIn(storage[slot]);
    return target ? (accounts.get(target)?.code ?? []) : [];
  });
  return implementations[0] ?? code;
};

/** One token for each implementation. */
const tokensAmong = (accounts: ReadonlyMap<Hex, Account>): [Hex, Account][] => {
  const found = new Map<string, [Hex, Account]>();
  for (const [address, account] of accounts) {
    const code = answering(account, accounts);
    if (isToken(code) && !found.has(code)) found.set(code, [address, account]);
  }
  return [...found.values()];
};

/** @param reals number of real tokens, evenly spread over all by address */
export const readWorld = async (data: string, reals: number): Promise<TrialWorld> => {
  const accounts = readAccounts(data);
  const labels = await readLabels(join(data, 'contract-powers', 'labels.csv'));
  const guilty = new Set(
    [...labels.values()].flatMap((of) => [...of].flatMap(([one, is]) => (is ? [one] : []))),
  );
  const frauds: TrialContract[] = [];
  for await (const { address, code } of readCodes(join(data, 'contract-powers', 'codes.csv.gz'))) {
    if (!guilty.has(address.toLowerCase()) || !isToken(code)) continue;
    frauds.push({ address: address.toLowerCase() as Hex, label: 'fraud', code, storage: {} });
  }
  const codes = new Set(frauds.map(({ code }) => code));
  const tokens = tokensAmong(accounts)
    .filter(([, { code }]) => !codes.has(code))
    .sort(([a], [b]) => (a.slice(-8) < b.slice(-8) ? -1 : 1));
  const step = Math.max(1, tokens.length / reals);
  const chosen = Array.from({ length: Math.min(reals, tokens.length) }, (_, i) => {
    return tokens[Math.floor(i * step)];
  });
  const real = chosen.flatMap((one): TrialContract[] =>
    one ? [{ address: one[0], label: 'real', ...one[1] }] : [],
  );
  const named = real.flatMap(({ storage }) =>
    Object.values(storage).flatMap((word) => addressIn(word) ?? []),
  );
  const others = new Map<Hex, Account>();
  for (const address of named) {
    const account = accounts.get(address);
    if (account) others.set(address, account);
  }
  for (const { address } of real) others.delete(address);
  const height = Math.max(
    ...readdirSync(prestateOf(data)).map((file) => Number.parseInt(file, 10)),
  );
  return { contracts: [...frauds, ...real], others, height };
};
