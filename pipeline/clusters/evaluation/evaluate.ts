import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Hex } from '../../../shared/chain/block.ts';
import {
  InputError,
  readCells,
  readLines,
  readOptions,
  runCommand,
} from '../../training/readCsv.ts';
import { type DeploymentRow, type EdgeRow, mapKind } from './arrangeFacts.ts';
import { evaluateRings } from './evaluateRings.ts';
import {
  createNames,
  type Names,
  parseAmount,
  parseBlock,
  parseFlag,
  placeColumns,
  separatorOf,
} from './parseCells.ts';

const USAGE =
  'usage: make evaluate-clusters EDGES=edges.csv DEPLOYMENTS=deployments.csv OUT=clusters.csv';
const TX = /^0x[0-9a-f]{64}$/;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const separatorIn = async (path: string): Promise<string> => {
  for await (const line of readLines(path)) if (line.trim() !== '') return separatorOf(line);
  throw new InputError(`${path} is empty`);
};

/** The requested cells of every row; absent columns give empty cells and are reported. */
async function* readTable(
  path: string,
  required: readonly string[],
  optional: readonly string[],
): AsyncGenerator<string[]> {
  const wanted = [...required, ...optional];
  let places: number[] | undefined;
  const delimiter = await separatorIn(path);
  const options = { delimiter, relax_column_count: true, trim: true };
  for await (const cells of readCells(path, options)) {
    if (places) {
      yield places.map((place) => cells[place] ?? '');
      continue;
    }
    places = placeColumns(cells, wanted);
    const absent = wanted.filter((_, i) => places?.[i] === -1);
    const missing = absent.filter((column) => required.includes(column));
    if (missing.length > 0) {
      throw new InputError(
        `${path} has no column ${missing.join(', ')}; it has ${cells.join(', ')}`,
      );
    }
    if (absent.length > 0) say(`${path}: no column ${absent.join(', ')}; taken as empty`);
  }
}

const readEdges = async (path: string, names: Names): Promise<EdgeRow[]> => {
  const edges: EdgeRow[] = [];
  const kinds = new Map<string, number>();
  let incomplete = 0;
  const rows = readTable(path, ['from', 'to'], ['kind', 'value', 'block', 'tx']);
  for await (const [from = '', to = '', kind = '', value = '', block = '', tx = ''] of rows) {
    if (from === '' || to === '') {
      incomplete += 1;
      continue;
    }
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const hash = tx.toLowerCase();
    edges.push({
      from: names.addressOf(from),
      to: names.addressOf(to),
      kind: mapKind(kind),
      value: parseAmount(value),
      block: parseBlock(block),
      tx: TX.test(hash) ? (hash as Hex) : null,
    });
  }
  for (const [kind, count] of kinds)
    say(`kind "${kind}": ${count} rows, taken as ${mapKind(kind)}`);
  if (incomplete > 0) say(`${path}: ${incomplete} rows without both ends left out`);
  return edges;
};

const readDeployments = async (path: string, names: Names): Promise<DeploymentRow[]> => {
  const deployments: DeploymentRow[] = [];
  let incomplete = 0;
  const rows = readTable(path, ['token', 'creator'], ['block', 'scam']);
  for await (const [token = '', creator = '', block = '', scam = ''] of rows) {
    if (token === '' || creator === '') {
      incomplete += 1;
      continue;
    }
    deployments.push({
      token: names.addressOf(token),
      creator: names.addressOf(creator),
      block: parseBlock(block),
      isScam: parseFlag(scam),
    });
  }
  if (incomplete > 0) say(`${path}: ${incomplete} rows without token or creator left out`);
  if (deployments.every(({ isScam }) => isScam === undefined)) {
    say(`${path}: says of no token whether it is a scam; all are taken for scams`);
  }
  return deployments;
};

const main = async (): Promise<void> => {
  const given = readOptions(USAGE, ['edges', 'deployments', 'out']);
  const names = createNames();
  const edges = await readEdges(given.edges, names);
  const deployments = await readDeployments(given.deployments, names);
  const path = given.out;
  const { rings, hubs, pools, dustValue, dust, areDealingsMeasured } = evaluateRings(
    edges,
    deployments,
  );
  const lines = rings.flatMap(({ id, members }) =>
    members.map(({ wallet, role }) => `${names.nameOf(wallet)},${id},${role}`),
  );
  const out = createWriteStream(path);
  out.end(`${['wallet,cluster,role', ...lines].join('\n')}\n`);
  await finished(out);
  say(`${dust} transfers below ${dustValue.toPrecision(3)} left out as dust`);
  say(
    areDealingsMeasured
      ? 'evidence is weighed by how scammers and others deal'
      : 'too few scammers to measure how they deal: evidence is weighed as the service does',
  );
  say(`${pools} addresses taken for pools, ${hubs.length} for services by their counterparties`);
  for (const hub of hubs.slice(0, 20)) say(`service: ${names.nameOf(hub)}`);
  say(`${path}: ${lines.length} wallets in ${rings.length} rings`);
};

await runCommand(main);
