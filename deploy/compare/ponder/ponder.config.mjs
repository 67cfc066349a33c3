import { createConfig } from 'ponder';
import { parseAbi } from 'viem';

const event = (text) => ({
  chain: 'synthetic',
  abi: parseAbi([text]),
  startBlock: Number(process.env.FIRST_BLOCK),
  endBlock: process.env.LAST_BLOCK && Number(process.env.LAST_BLOCK),
});

export default createConfig({
  database: { kind: 'postgres', connectionString: process.env.DB_URL },
  chains: {
    synthetic: {
      id: Number(process.env.CHAIN_ID),
      rpc: process.env.RPC_URL,
      ws: process.env.WS_URL,
      // The answers of the node are not stored beside the rows: faster, and all that another run would gain.
      disableCache: true,
    },
  },
  contracts: {
    Token: event('event Transfer(address indexed from, address indexed to, uint256 value)'),
    PoolSync: event('event Sync(uint112 reserve0, uint112 reserve1)'),
    PoolSwap: event(
      'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    ),
  },
});
