const { EntitySchema } = require('typeorm');

const numeric = {
  type: 'numeric',
  transformer: { to: (value) => value?.toString(), from: (text) => text && BigInt(text) },
};
const text = { type: 'text' };
const integer = { type: 'int4' };

/** An entity of the squid: the place of an event, and what it says. */
const entity = (tableName, columns) => {
  class Event {
    constructor(values) {
      Object.assign(this, values);
    }
  }
  const schema = new EntitySchema({
    name: tableName,
    target: Event,
    tableName,
    columns: {
      id: { type: 'varchar', primary: true },
      blockNumber: integer,
      logIndex: integer,
      timestamp: integer,
      blockHash: text,
      txHash: text,
      address: text,
      ...columns,
    },
  });
  return [Event, schema];
};

const [Transfer, transfer] = entity('transfer', { from: text, to: text, value: numeric });
const [Sync, sync] = entity('sync', { reserve0: numeric, reserve1: numeric });
const [Swap, swap] = entity('swap', {
  sender: text,
  to: text,
  amount0In: numeric,
  amount1In: numeric,
  amount0Out: numeric,
  amount1Out: numeric,
});

module.exports = { Transfer, Sync, Swap, transfer, sync, swap };
