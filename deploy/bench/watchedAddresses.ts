/** Watched addresses of a bench: what the service is made for, unless the environment says otherwise. */
export const WATCHES = Number(process.env['BENCH_WATCHES'] ?? 1_000_000);
const FAMILIES = 10_000;

/** Stored by one statement, within the time that one may take on a busy machine. */
const AT_ONCE = 100_000;

/** Statements that together store so many random wallets, watched by ten thousand families. */
export const watchedAddresses = (count: number): string[] =>
  Array.from({ length: Math.ceil(count / AT_ONCE) }, (_, i) =>
    someAddresses(i * AT_ONCE, Math.min(AT_ONCE, count - i * AT_ONCE)),
  );

const someAddresses = (from: number, count: number): string =>
  `INSERT INTO watchlist (family, id, type, address, alerts, sensitivity, created_at, version)
   SELECT concat('family', toString(number % ${FAMILIES})), number + 2, 'wallet',
     reinterpretAsFixedString(rand64(1)) || reinterpretAsFixedString(rand64(2)) || substring(reinterpretAsFixedString(rand64(3)), 1, 4),
     ['rug_pull', 'new_token', 'large_sell'], 'medium', now64(3), 1 FROM numbers(${from}, ${count})`;
