/**
 * Runs one query as the user named in `url` and returns its rows, tab-separated.
 * Throws an error with ClickHouse's own text.
 */
export const queryRows = async (url: string, sql: string, timeoutMs: number): Promise<string> => {
  const { origin, pathname, username, password } = new URL(url);
  // Waiting for the end puts a failure in the middle of a result into the status, not among the rows.
  const response = await fetch(`${origin}/?wait_end_of_query=1`, {
    method: 'POST',
    body: sql,
    headers: {
      'X-ClickHouse-User': decodeURIComponent(username),
      'X-ClickHouse-Key': decodeURIComponent(password),
      'X-ClickHouse-Database': pathname.slice(1) || 'default',
      'X-ClickHouse-Format': 'TabSeparated',
    },
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw new Error('ClickHouse does not answer: is the stack up? See make status', { cause });
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text.trim());
  return text;
};
