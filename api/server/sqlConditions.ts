/** Lower and upper bound, both inclusive. */
export interface Range {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/**
 * Conditions of a query, all of which must hold, with their values bound as parameters.
 * @param prefix of the names of these parameters: one query can hold several sets of conditions
 */
export const createConditions = (prefix = 'p') => {
  const conditions: string[] = [];
  const params: Record<string, unknown> = {};
  /** Nothing is required where the value is undefined. @param sqlOf takes the parameter as it stands in SQL */
  const require = (sqlOf: (param: string) => string, type: string, value: unknown): void => {
    if (value === undefined) return;
    const name = `${prefix}_${conditions.length}`;
    conditions.push(sqlOf(`{${name}:${type}}`));
    params[name] = value;
  };
  return {
    params,
    require,
    requireRange: (column: string, range: Range | undefined): void => {
      require((param) => `${column} >= ${param}`, 'Float64', range?.min);
      require((param) => `${column} <= ${param}`, 'Float64', range?.max);
    },
    sql: (): string => ['1', ...conditions].join(' AND '),
  };
};
