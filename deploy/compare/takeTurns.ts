import { percentile } from '../bench/figures.ts';
import { machineLine } from '../report.ts';

/** Rounds in which each is measured once. */
export const ROUNDS = Number(process.env['ROUNDS'] || 3);

/** Measures each of them in every round, the order shifted by one from round to round. */
export const takeTurns = async <S, T extends object>(
  subjects: ReadonlyMap<string, S>,
  measure: (subject: S) => Promise<T>,
): Promise<Map<string, T[]>> => {
  const results = new Map([...subjects.keys()].map((name): [string, T[]] => [name, []]));
  const order = [...subjects];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, subject] of order) {
      const result = await measure(subject);
      results.get(name)?.push(result);
      console.log(name, JSON.stringify(result));
    }
    order.push(...order.splice(0, 1));
  }
  return results;
};

/** The machine they were measured on, in words. */
export const machineOf = (results: ReadonlyMap<string, readonly { others: number }[]>): string => {
  const others = [...results.values()].flat().map((one) => one.others);
  return machineLine(percentile(others, 0.5));
};
