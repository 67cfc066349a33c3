const { createOrmConfig } = require('@subsquid/typeorm-config');
const { event, indexed } = require('@subsquid/evm-abi');
const { address, uint112, uint256 } = require('@subsquid/evm-codec');
const { EvmBatchProcessor } = require('@subsquid/evm-processor');
const { TypeormDatabase } = require('@subsquid/typeorm-store');
const { DataSource } = require('typeorm');
const { Transfer, Sync, Swap } = require('./lib/model/index.js');

const { RPC_URL, WS_URL, FIRST_BLOCK, LAST_BLOCK, TRANSFER, SYNC, SWAP } = process.env;

const kinds = new Map([
  [
    TRANSFER,
    [
      Transfer,
      event(TRANSFER, 'Transfer(address,address,uint256)', {
        from: indexed(address),
        to: indexed(address),
        value: uint256,
      }),
    ],
  ],
  [SYNC, [Sync, event(SYNC, 'Sync(uint112,uint112)', { reserve0: uint112, reserve1: uint112 })]],
  [
    SWAP,
    [
      Swap,
      event(SWAP, 'Swap(address,uint256,uint256,uint256,uint256,address)', {
        sender: indexed(address),
        amount0In: uint256,
        amount1In: uint256,
        amount0Out: uint256,
        amount1Out: uint256,
        to: indexed(address),
      }),
    ],
  ],
]);

const processor = new EvmBatchProcessor()
  .setRpcEndpoint({ url: WS_URL ?? RPC_URL, capacity: 10 })
  .setFinalityConfirmation(75)
  .setBlockRange({ from: Number(FIRST_BLOCK), ...(LAST_BLOCK && { to: Number(LAST_BLOCK) }) })
  .setFields({
    block: { timestamp: true },
    log: { topics: true, data: true, transactionHash: true },
  })
  .addLog({ topic0: [...kinds.keys()] });

/** Rows of all blocks of a batch, by kind. */
const rowsOf = (blocks) => {
  const rows = new Map([...kinds.keys()].map((topic) => [topic, []]));
  for (const { header, logs } of blocks) {
    for (const log of logs) {
      const [Entity, decoder] = kinds.get(log.topics[0]);
      const place = {
        id: log.id,
        blockNumber: header.height,
        logIndex: log.logIndex,
        timestamp: Math.floor(header.timestamp / 1000),
        blockHash: header.hash,
        txHash: log.transactionHash,
        address: log.address,
      };
      rows.get(log.topics[0]).push(new Entity({ ...place, ...decoder.decode(log) }));
    }
  }
  return rows;
};

const createTables = async () => {
  const source = await new DataSource(createOrmConfig()).initialize();
  await source.synchronize();
  await source.destroy();
};

void createTables().then(() =>
  processor.run(
    new TypeormDatabase({ supportHotBlocks: !LAST_BLOCK, isolationLevel: 'READ COMMITTED' }),
    async ({ blocks, store }) => {
      for (const rows of rowsOf(blocks).values()) await store.insert(rows);
    },
  ),
);
