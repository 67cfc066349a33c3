import type { RequestListener } from 'node:http';
import type { Context, Middleware } from 'koa';
import inject from 'light-my-request';
import { invalidRequest } from '../server/apiError.ts';
import type { Authenticate } from '../server/middleware/authenticate.ts';
import { readBody } from '../server/middleware/readBody.ts';
import type { RequestState } from '../server/middleware/requestState.ts';
import type { CallApi } from './createMcpServer.ts';

export const MCP_PATH = '/mcp';

/** Those of the given headers that the request has. */
const headersOf = (ctx: Context, ...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, ctx.get(name)]).filter(([, value]) => value));

/** The headers by which the application identifies the caller; a key in the query becomes a header. */
const callerHeaders = (ctx: Context): Record<string, string> => {
  const { api_key: key } = ctx.query;
  return {
    ...(key === undefined ? {} : { 'x-api-key': String(key) }),
    ...headersOf(ctx, 'x-api-key', 'authorization', 'x-forwarded-for'),
  };
};

/** Imported with the first message: the MCP packages take 20 MiB, and most processes never need them. */
const loadMcp = async () => {
  const [{ createMcpServer }, transports] = await Promise.all([
    import('./createMcpServer.ts'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  ]);
  const { WebStandardStreamableHTTPServerTransport: Transport } = transports;
  return { createMcpServer, createTransport: () => new Transport({ enableJsonResponse: true }) };
};

/** Requests of tools go through the application as if the client had sent them: same key, quotas and limits. */
const callApplication =
  (ctx: Context, headers: Record<string, string>, application: RequestListener): CallApi =>
  async ({ method, path, body }) => {
    const answer = await inject(application, {
      method,
      url: path,
      remoteAddress: ctx.req.socket.remoteAddress ?? '',
      headers: { ...headers, host: ctx.host },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    return { status: answer.statusCode, text: answer.payload };
  };

/**
 * MCP by Streamable HTTP, without sessions: each message is answered in its own response, so any process of the API
 * can answer it. A message takes one unit of the minute quota; the requests of its tools are counted like any other.
 * @param application serves requests of the whole API.
 */
export const serveMcp = (args: {
  authenticate: Authenticate;
  application: () => RequestListener;
}): Middleware<RequestState> => {
  const answer = async (ctx: Parameters<Middleware<RequestState>>[0]): Promise<void> => {
    const caller = callerHeaders(ctx);
    await args.authenticate(ctx, { day: 0, minute: 1 });
    ctx.state.operation = 'mcp';
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST');
      throw invalidRequest(`${ctx.method} is not allowed here; use POST`, { status: 405 });
    }
    const body = await readBody(ctx);
    const { createMcpServer, createTransport } = await loadMcp();
    const server = createMcpServer(callApplication(ctx, caller, args.application()));
    const transport = createTransport();
    await server.connect(transport);
    try {
      const request = new Request(`http://localhost${MCP_PATH}`, {
        method: 'POST',
        headers: headersOf(ctx, 'accept', 'content-type', 'mcp-protocol-version'),
      });
      const response = await transport.handleRequest(request, { parsedBody: body });
      ctx.status = response.status;
      ctx.type = response.headers.get('Content-Type') ?? 'application/json';
      ctx.body = await response.text();
    } finally {
      await server.close();
    }
  };
  return (ctx, next) => (ctx.path === MCP_PATH ? answer(ctx) : next());
};
