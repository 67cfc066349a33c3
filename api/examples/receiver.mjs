// A receiver of webhooks: SECRET=whsec_… PORT=3000 node receiver.mjs
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.SECRET);
const seen = new Set(); // In production: the ids of the last days, where all processes see them.

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    // The bytes as they came are what is signed; old or unsigned events are refused here.
    const event = webhook.verify(Buffer.concat(parts).toString(), request.headers);
    if (!seen.has(event.id)) {
      seen.add(event.id);
      console.log(`${event.severity} ${event.alert_type}: ${event.token.symbol}`);
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
  } catch {
    response.writeHead(400).end();
  }
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('listening'));
