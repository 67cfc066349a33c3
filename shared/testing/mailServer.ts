import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail as it arrived. */
interface ReceivedMail {
  readonly to: string;
  /** Header and body. */
  readonly text: string;
}

/** A mail server on a free port of the loopback address, which takes mails for all but `refused@…`. */
export const startMailServer = async () => {
  const received: ReceivedMail[] = [];
  const serve = (socket: Socket): void => {
    let [pending, to, text] = ['', '', ''];
    let isText = false;
    const answer = (line: string): void => {
      if (isText) {
        if (line !== '.') text += `${line}\n`;
        else {
          received.push({ to, text });
          isText = false;
          socket.write('250 taken\r\n');
        }
        return;
      }
      const [, address = ''] = /^RCPT TO:<([^>]*)>/i.exec(line) ?? [];
      if (address.startsWith('refused@')) socket.write('550 5.1.1 no such mailbox\r\n');
      else if (/^DATA/i.test(line)) {
        [isText, text] = [true, ''];
        socket.write('354 go on\r\n');
      } else {
        if (address !== '') to = address;
        socket.write('250 ok\r\n');
      }
    };
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const lines = (pending + data.toString()).split('\r\n');
      pending = lines.pop() ?? '';
      for (const line of lines) answer(line);
    });
    socket.write('220 test\r\n');
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: (): void => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
