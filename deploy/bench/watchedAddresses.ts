/** Watched addresses of a bench: what the service is made for, unless the environment says otherwise. */
export const WATCHES = Number(process.env['BENCH_WATCHES'] ?? 1_000_000);
const FAMILIES = 10_000;

/** The statement that stores so many random wallets, watched by ten thousand families. */
export const watchedAddresses = (count: number): string =>
  `INSERT INTO watchlist (family, id, type, address, alerts, sensitivity, created_at, version)
   SELECT concat('family', toString(number % ${FAMILIES})), number + 2, 'wallet',
     reinterpretAsFixedString(rand64(1)) || reinterpretAsFixedString(rand64(2)) || substring(reinterpretAsFixedString(rand64(3)), 1, 4),
     ['rug_pull', 'new_token', 'large_sell'], 'medium', now64(3), 1 FROM numbers(${count})`;
