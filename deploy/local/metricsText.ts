/** One sample of Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of a text as `/metrics` gives it; comments and what is no sample are left out. */
export const parseMetrics = (text: string): Sample[] =>
  text.split('\n').flatMap((line) => {
    const [, name, list = '', number] = LINE.exec(line) ?? [];
    if (name === undefined || number === undefined) return [];
    const labels = Object.fromEntries(
      [...list.matchAll(LABEL)].map(([, label = '', value = '']) => [label, value]),
    );
    return [{ name, labels, value: Number(number) }];
  });

/** Sum over the samples of a metric that carry these labels; undefined where there is none. */
export const sumOf = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined => {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
};
