import { connect, type Socket } from 'node:net';

/** A request exactly as it goes over the wire. */
export interface RawRequest {
  readonly method: string;
  /** The request target, unchanged. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer | undefined;
  /** Whether the connection is of no use afterwards, as when a head is not understood. */
  readonly isLast?: boolean;
  /** Whether more is announced than sent: the connection ends behind it, perhaps without an answer. */
  readonly isCut?: boolean;
}

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const ANSWER_MS_MAX = 30_000;
const HEAD_END = '\r\n\r\n';
const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 304]);

const parseHead = (head: string) => {
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { status, headers };
};

/** Whether an answer has no end: its head is all that is waited for. */
const isEndless = (headers: ReadonlyMap<string, string>): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false;

/** The answer at the start of what was received, or undefined while it is not whole. */
const parseAnswer = (received: Buffer, method: string): RawAnswer | undefined => {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const { status, headers } = parseHead(received.subarray(0, end).toString('latin1'));
  const rest = received.subarray(end + HEAD_END.length);
  if (status >= 100 && status < 200) return parseAnswer(rest, method);
  const isEmpty = method === 'HEAD' || HAS_NO_BODY.has(status) || isEndless(headers);
  const length = isEmpty ? 0 : Number(headers.get('content-length') ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`answer ${status} without a length`);
  return rest.length < length ? undefined : { status, headers, body: rest.subarray(0, length) };
};

const headOf = ({ method, target, headers }: RawRequest): Buffer =>
  Buffer.from(
    [`${method} ${target} HTTP/1.1`, ...headers.map(([n, v]) => `${n}: ${v}`), '', ''].join('\r\n'),
    'latin1',
  );

const exchange = (socket: Socket, request: RawRequest): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const finish = (act: () => void): void => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      act();
    };
    const fail = (reason: string) => finish(() => reject(new Error(reason)));
    const timer = setTimeout(() => fail('no answer in time'), ANSWER_MS_MAX);
    socket.on('data', (part: Buffer) => {
      received = Buffer.concat([received, part]);
      try {
        const answer = parseAnswer(received, request.method);
        if (answer) finish(() => resolve(answer));
      } catch (error) {
        fail(String(error));
      }
    });
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail(`closed after ${received.length} bytes`));
    socket.write(headOf(request));
    if (request.body) socket.write(request.body);
    if (request.isCut) socket.end();
  });

/** One kept connection that sends what no HTTP client would. */
export const createRawClient = (port: number) => {
  let socket: Socket | undefined;
  return {
    send: async (request: RawRequest): Promise<RawAnswer> => {
      const isUsable = socket?.writable && !socket.destroyed && !socket.readableEnded;
      const used = isUsable && socket ? socket : connect(port, '127.0.0.1');
      socket = used;
      const answer = await exchange(used, request);
      const isOver = request.isLast || request.isCut || isEndless(answer.headers);
      if (isOver || answer.headers.get('connection') === 'close') {
        used.destroy();
        socket = undefined;
      }
      return answer;
    },
    close: () => socket?.destroy(),
  };
};
