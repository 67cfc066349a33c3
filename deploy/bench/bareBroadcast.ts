import { WebSocketServer } from 'ws';

// The minimum work of a broadcast server: messages of the client at /publish go unchanged to all others.

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
