import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { readConfig } from '../../shared/platform/config.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import { type CallApi, createMcpServer } from './createMcpServer.ts';

/** Longer than the longest wait of a tool. */
const REQUEST_MS_MAX = 40_000;

const configSchema = z.object({
  API_URL: z.string().url('must be the URL of the API').default('http://127.0.0.1:8080'),
  API_KEY: z.string().min(1, 'must be a key of the API'),
});

const createCallApi =
  ({ API_URL: url, API_KEY: key }: z.output<typeof configSchema>): CallApi =>
  async ({ method, path, body }) => {
    const response = await fetch(`${url.replace(/\/$/, '')}${path}`, {
      method: method.toUpperCase(),
      headers: {
        'X-API-Key': key,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause ? error.cause : error;
      throw new Error(`the API does not answer at ${url}: ${errorMessage(cause)}`, { cause });
    });
    return { status: response.status, text: await response.text() };
  };

/**
 * MCP on standard input and output, for clients that start their own servers; exits at the end of its input.
 */
const main = async (): Promise<void> => {
  const config = readConfig(configSchema);
  await createMcpServer(createCallApi(config)).connect(new StdioServerTransport());
};

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
});
