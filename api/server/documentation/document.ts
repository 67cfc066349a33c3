/** The parts of JSON Schema that the document uses. */
export interface Schema {
  description?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Content of a body, by media type. */
export type Content = Readonly<Record<string, { readonly schema?: Schema; example?: unknown }>>;

export interface Parameter {
  description?: string;
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  example?: unknown;
}

/** One method of a path. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** An OpenAPI document, limited to what this folder reads. */
export interface Document {
  readonly info: { readonly title: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** All operations with their path and method. */
export const operationsIn = ({
  paths,
}: Document): { path: string; method: string; operation: Operation }[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/**
 * The table entry that best matches a field's path: the longest key that is a suffix of the path. Paths begin with
 * the name of a schema or of an operation.
 */
export const entryFor = <T>(
  table: Readonly<Record<string, T>>,
  path: readonly string[],
): { readonly key: string; readonly value: T | undefined } | undefined => {
  const keys = path.map((_, from) => path.slice(from).join('.'));
  const key = keys.find((each) => Object.hasOwn(table, each));
  return key === undefined ? undefined : { key, value: table[key] };
};
