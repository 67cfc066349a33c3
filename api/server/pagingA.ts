/** Values of query parameters; absent ones are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

const link = (url: string, query: QueryValues, relation: string): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, String(value));
  }
  return `<${url}?${params.toString()}>; rel="${relation}"`;
};

/** `Link` and `X-Total-Count` of a list. `next` and `prev` are absent at its ends. */
export const pageHeaders = (args: {
  url: string;
  query: QueryValues;
  total: number;
  next?: QueryValues | undefined;
  prev?: QueryValues | undefined;
}): Record<string, string> => {
  const links = [
    ...(args.next ? [link(args.url, { ...args.query, ...args.next }, 'next')] : []),
    ...(args.prev ? [link(args.url, { ...args.query, ...args.prev }, 'prev')] : []),
  ];
  return {
    'X-Total-Count': String(args.total),
    ...(links.length > 0 ? { Link: links.join(', ') } : {}),
  };
};

/** Steps of an offset list, as far as there are entries. */
export const offsetSteps = (args: {
  total: number;
  limit: number;
  offset: number;
  offsetMax: number;
}): { next?: QueryValues; prev?: QueryValues } => {
  const { total, limit, offset, offsetMax } = args;
  const nextOffset = offset + limit;
  return {
    ...(nextOffset < total && nextOffset <= offsetMax
      ? { next: { offset: nextOffset, limit } }
      : {}),
    ...(offset > 0 ? { prev: { offset: Math.max(0, offset - limit), limit } } : {}),
  };
};
