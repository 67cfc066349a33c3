import { WebSocketServer } from 'ws';

// The least a server can do: what the one client at /publish sends goes to all others unchanged.

const [port = '0'] = process.argv.slice(2);
const server = new WebSocketServer({
  host: '127.0.0.1',
  port: Number(port),
  perMessageDeflate: false,
});
server.on('connection', (socket, request) => {
  if (request.url !== '/publish') return;
  socket.on('message', (data) => {
    for (const client of server.clients)
      if (client !== socket) client.send(data, { binary: false });
  });
});
