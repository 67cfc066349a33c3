import { ponder } from 'ponder:registry';
import { swap, sync, transfer } from 'ponder:schema';

const placeOf = ({ block, log, transaction }) => ({
  blockNumber: Number(block.number),
  logIndex: log.logIndex,
  timestamp: Number(block.timestamp),
  blockHash: block.hash,
  txHash: transaction.hash,
  address: log.address,
});

ponder.on('Token:Transfer', async ({ event, context }) => {
  const { from, to, value } = event.args;
  await context.db.insert(transfer).values({ ...placeOf(event), from, to, value });
});
ponder.on('PoolSync:Sync', async ({ event, context }) => {
  const { reserve0, reserve1 } = event.args;
  await context.db.insert(sync).values({ ...placeOf(event), reserve0, reserve1 });
});
ponder.on('PoolSwap:Swap', async ({ event, context }) => {
  const { sender, to, amount0In, amount1In, amount0Out, amount1Out } = event.args;
  const amounts = { amount0In, amount1In, amount0Out, amount1Out };
  await context.db.insert(swap).values({ ...placeOf(event), sender, to, ...amounts });
});
