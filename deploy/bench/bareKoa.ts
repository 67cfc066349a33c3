import Koa from 'koa';

// A bare Koa route that returns the bytes it reads on standard input: the limit of any API on Koa. Prints its port.

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const body = Buffer.concat(chunks);
const server = new Koa()
  .use((ctx) => {
    ctx.type = 'application/json';
    ctx.body = body;
  })
  .listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(typeof address === 'object' ? address?.port : address);
  });
