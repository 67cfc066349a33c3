import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Redis } from 'ioredis';
import type { JetStreamClient, NatsConnection } from 'nats';
import { answersHttp } from '../../deploy/local/probes.ts';
import { addressParam } from '../../shared/chain/address.ts';
import type { ChainEvent } from '../../shared/chain/chainEvent.ts';
import { createWatchlistStore } from '../../shared/families/watchlistStore.ts';
import { type AlertMessage, alertMessageSchema } from '../../shared/messages/alertMessage.ts';
import { chainMessageId, encodeChainEvent } from '../../shared/messages/chainMessage.ts';
import {
  alertSubject,
  chainStream,
  chainSubject,
  clusterSubject,
  EVENTS_STREAM,
  scoreSubject,
} from '../../shared/messages/subjects.ts';
import type { WatchItem } from '../../shared/messages/watchMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { ensureStreams } from '../../shared/platform/nats.ts';
import { startRole, type TestProcess, until } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import {
  readStream,
  type Stores,
  startStores,
  untilChangesFollowed,
} from '../../shared/testing/stores.ts';
import { createFactStore } from '../scorer/ingest/factStore.ts';
import { createIndexReader } from './indexReader.ts';
import { knownPool } from './pools/marketStates.ts';
import { createAlertStore } from './raise/alertStore.ts';
import {
  address,
  block,
  blocksEvent,
  burn,
  CHAIN_ID,
  CREATOR,
  GENESIS_S,
  hash,
  POOL,
  pairCreated,
  reorgEvent,
  ringChange,
  score,
  sync,
  TOKEN,
  transfer,
  USD,
  WETH,
  watchItem,
} from './testing/chainBuilder.ts';

const READY_MS = 120_000;
const ANSWER_MS = 90_000;
const ITEMS_MAX = 1_000;

describe('alerts role on real NATS, ClickHouse and Redis', () => {
  let stores: Stores;
  let redis: Redis;
  let connection: NatsConnection;
  let jetstream: JetStreamClient;
  let clickhouse: Clickhouse;
  let role: TestProcess | undefined;
  let family = '';
  let families = 0;

  const startAlerts = async (): Promise<void> => {
    const healthPort = await freePort();
    const started = startRole('alerts', {
      ...stores.environment,
      CHAIN_ID: String(CHAIN_ID),
      WETH_ADDRESS: WETH,
      STABLE_ADDRESSES: USD,
      NATIVE_PRICE_USD: '2000',
      HEALTH_PORT: String(healthPort),
    });
    role = started;
    const isReady = async () =>
      (await answersHttp(`http://127.0.0.1:${healthPort}/readyz`)) || undefined;
    await until('ready', isReady, READY_MS, [started]);
  };

  const publish = async (event: ChainEvent): Promise<void> => {
    await jetstream.publish(chainSubject(CHAIN_ID), encodeChainEvent(event), {
      msgID: `${families}:${chainMessageId(event)}`,
    });
  };
  const watch = async (changes: Partial<WatchItem> = {}): Promise<WatchItem> => {
    const item = watchItem({ family, createdAtMs: Date.now(), ...changes });
    assert.equal((await createWatchlistStore(redis).add(item, ITEMS_MAX)).kind, 'added');
    await untilChangesFollowed(redis, 1);
    return item;
  };
  const stored = async () => {
    const rows = await createAlertStore(clickhouse).recent([family], {
      fromS: GENESIS_S,
      toS: GENESIS_S + 10_000_000,
    });
    return rows.filter(({ isWithdrawn }) => !isWithdrawn).map(({ alert }) => alert);
  };
  const sent = async (): Promise<AlertMessage[]> =>
    (await readStream(connection, EVENTS_STREAM))
      .filter(({ subject }) => subject === alertSubject(family))
      .map(({ data }) => alertMessageSchema.parse(JSON.parse(Buffer.from(data).toString())));
  /** All events are handled and acknowledged. */
  const settled = () =>
    until(
      'acknowledged',
      async () => {
        const jsm = await connection.jetstreamManager();
        const [{ state }, { ack_floor }] = await Promise.all([
          jsm.streams.info(`CHAIN_${CHAIN_ID}`),
          jsm.consumers.info(`CHAIN_${CHAIN_ID}`, 'alerts'),
        ]);
        return ack_floor.stream_seq === state.last_seq || undefined;
      },
      ANSWER_MS,
    );

  before(async () => {
    stores = await startStores();
    ({ clickhouse, redis, nats: connection } = stores);
    await ensureStreams(connection, [CHAIN_ID]);
    jetstream = connection.jetstream();
  });
  after(async () => {
    await role?.stop('SIGKILL');
    await stores?.stop();
  });
  beforeEach(async () => {
    families += 1;
    family = `fam${families}`;
    if (!role || role.hasEnded()) await startAlerts();
  });

  const opened = (number: number, pool = POOL, token = TOKEN) =>
    block(number, [
      pairCreated(`create ${number}`, pool, token),
      sync(`open ${number}`, 1000, 100, pool),
    ]);

  it('raises a rug pull, once, and withdraws it when a reorg takes the block', async () => {
    await watch();
    await publish(blocksEvent([opened(1)]));
    const rug = block(2, [
      transfer('rug', POOL, CREATOR, POOL),
      sync('rug', 10, 1),
      burn('rug', 990, 99),
    ]);
    await publish(blocksEvent([rug]));
    const [alert] = await until(
      'alert',
      async () => {
        const alerts = (await stored()).filter(({ type }) => type === 'rug_pull');
        return alerts.length > 0 ? alerts : undefined;
      },
      ANSWER_MS,
    );
    assert.equal(alert?.severity, 'critical');
    assert.equal(alert?.details['liquidity_change'], -0.99);
    assert.equal(alert?.token.address, TOKEN);
    assert.equal(alert?.txHash, hash('rug'));
    await settled();
    assert.deepEqual(
      new Set((await sent()).map(({ state, alert: { type } }) => `${state} ${type}`)),
      new Set(['raised liquidity_removed', 'raised rug_pull']),
    );
    assert.equal((await sent()).length, 2);
    await publish(reorgEvent(1, [rug]));
    await settled();
    assert.deepEqual(await stored(), []);
    assert.equal((await sent()).filter(({ state }) => state === 'withdrawn').length, 2);
    // The same transaction, mined again in another block.
    await publish(blocksEvent([{ ...rug, hash: hash('block 2b') }], { epoch: 1 }));
    await settled();
    const again = (await stored()).filter(({ type }) => type === 'rug_pull');
    assert.equal(again.length, 1);
    assert.notEqual(again[0]?.id, alert?.id);
  });

  /** The index is up to date: data older than the window need not be read again. */
  const acknowledgeAsScorer = async (): Promise<void> => {
    const scorer = await connection.jetstream().consumers.get(chainStream(CHAIN_ID), 'scorer');
    for (;;) {
      const { num_pending } = await scorer.info();
      if (num_pending === 0) return;
      for await (const message of await scorer.fetch({ max_messages: 32, expires: 1_000 })) {
        message.ack();
      }
    }
  };

  it('finds in the index what the stream no longer holds', async () => {
    const pool = address('old pool');
    const token = address('old token');
    await watch({ address: token });
    const columns = 'chain_id, token, pool, other_token, token_is_0';
    for (const [one, other, is0] of [
      [token, WETH, 1],
      [WETH, token, 0],
    ] as const) {
      await clickhouse.exec(
        `INSERT INTO dim_pools (${columns}) SELECT ${CHAIN_ID}, unhex('${addressParam(one)}'),
          unhex('${addressParam(pool)}'), unhex('${addressParam(other)}'), ${is0}`,
      );
    }
    await clickhouse.exec(
      `INSERT INTO fact_pool_events (chain_id, pool, block_number, log_index, kind, reserve0, reserve1)
       SELECT ${CHAIN_ID}, unhex('${addressParam(pool)}'), 0, 3, 'sync', 5, 100e18`,
    );
    await clickhouse.exec(
      `INSERT INTO dim_tokens (chain_id, token, name, symbol, creator)
       SELECT ${CHAIN_ID}, unhex('${addressParam(token)}'), 'Old Token', 'OLD', unhex('${addressParam(CREATOR)}')`,
    );
    const known = await createIndexReader(clickhouse, CHAIN_ID).pools([pool], 100);
    assert.deepEqual(known, [knownPool(pool, [token, WETH], { amount0: 5, amount1: 100e18 })]);
    await publish(blocksEvent([block(100, [sync('late', 5, 2, pool)])], { epoch: 1 }));
    await settled();
    const [alert] = await stored();
    assert.equal(alert?.details['liquidity_change'], -0.98);
    assert.equal(alert?.details['creator_sold_usd'], 0);
    assert.deepEqual(alert?.token, { address: token, name: 'Old Token', symbol: 'OLD' });
  });

  it('reports a lock a day before it ends, and what leaves it', async () => {
    const [pool, token, locker] = [address('locked pool'), address('locked'), address('locker')];
    const unlockAtS = block(103).timestampS + 86_400;
    const lock = {
      kind: 'lock',
      locker,
      lockId: '0x7',
      asset: pool,
      position: '0x0',
      owner: CREATOR,
      txIndex: 0,
    } as const;
    const locked = {
      ...lock,
      act: 'locked',
      amount: '0x5',
      unlockAt: `0x${unlockAtS.toString(16)}`,
      txHash: hash('lock'),
      logIndex: 1,
    } as const;
    const made = blocksEvent([block(101, [locked])], { epoch: 1 });
    await createFactStore(clickhouse).insert([made]);
    await clickhouse.exec(
      `INSERT INTO dim_pools (chain_id, token, pool, other_token, token_is_0) SELECT ${CHAIN_ID}, unhex('${addressParam(token)}'),
        unhex('${addressParam(pool)}'), unhex('${addressParam(WETH)}'), 1`,
    );
    await clickhouse.exec(
      `INSERT INTO dim_tokens (chain_id, token, name, symbol) SELECT ${CHAIN_ID}, unhex('${addressParam(token)}'), 'Locked', 'LCK'`,
    );
    await watch({ address: token, alerts: ['unlock_soon', 'lock_withdrawn'] });
    const raised = async () => {
      await settled();
      return (await stored()).map(({ type, severity, details, token: { symbol } }) => {
        return { type, severity, symbol, locker: details['locker'], early: details['before_time'] };
      });
    };
    await publish(made);
    await publish(blocksEvent([block(102)], { epoch: 1 }));
    assert.deepEqual(await raised(), []);
    await publish(blocksEvent([block(103)], { epoch: 1 }));
    const common = { symbol: 'LCK', locker };
    const soon = { ...common, type: 'unlock_soon', severity: 'warning', early: undefined };
    assert.deepEqual(await raised(), [soon]);
    const out = transfer('unlock', pool, locker, CREATOR);
    const withdrawn = {
      ...lock,
      act: 'withdrawn',
      amount: '0x5',
      unlockAt: '0x0',
      txHash: hash('unlock'),
      logIndex: 9,
    } as const;
    await publish(blocksEvent([block(104, [out, withdrawn])], { epoch: 1 }));
    const early = { ...common, type: 'lock_withdrawn', severity: 'critical', early: true };
    const all = await raised();
    assert.deepEqual(
      all.toSorted((a, b) => a.type.localeCompare(b.type)),
      [early, soon],
    );
    assert.deepEqual(
      (await sent()).map(({ state, alert: { type } }) => `${state} ${type}`),
      ['raised unlock_soon', 'raised lock_withdrawn'],
    );
  });

  it('reports addresses that look like counterparties of long ago, and never those themselves', async () => {
    const wallet = address('poisoned');
    await watch({ type: 'wallet', address: wallet, alerts: ['address_poisoning'] });
    const [paid, payer] = [`0xabc${'1'.repeat(33)}4567`, `0xdef${'1'.repeat(33)}89ab`] as const;
    const [likePaid, likePayer] = [
      `0xabc${'2'.repeat(33)}4567`,
      `0xdef${'2'.repeat(33)}89ab`,
    ] as const;
    await clickhouse.exec(
      `INSERT INTO fact_transfers (chain_id, token, block_number, timestamp, from_address, to_address, value)
       SELECT ${CHAIN_ID}, unhex('${addressParam(WETH)}'), 1, toDateTime(${GENESIS_S}), unhex('${addressParam(wallet)}'),
         unhex('${addressParam(paid)}'), toUInt256('1000000000000000000')`,
    );
    await clickhouse.exec(
      `INSERT INTO graph_neighbours (chain_id, node, source, direction, kind, other, block_number, value, last_at)
       SELECT ${CHAIN_ID}, unhex('${addressParam(wallet)}'), 'movement', 'in', 'native', unhex('${addressParam(payer)}'), 1, 0.5,
         toDateTime(${GENESIS_S})`,
    );
    const token = address('poison');
    const facts = [paid, likePaid, payer, likePayer].map((other, i) =>
      transfer(`poison${i}`, token, wallet, other, 0),
    );
    await publish(blocksEvent([block(105, facts)], { epoch: 1 }));
    await settled();
    const alerts = await stored();
    assert.ok(alerts.every(({ type }) => type === 'address_poisoning'));
    assert.deepEqual(
      new Map(alerts.map(({ details }) => [details['look_alike'], details['counterparty']])),
      new Map([
        [likePaid, paid],
        [likePayer, payer],
      ]),
    );
    assert.equal((await sent()).length, 2);
  });

  it('sends what was written and not sent when it was killed, once', async () => {
    const [pool, token] = [address('half pool'), address('half token')];
    await watch({ address: token });
    await publish(blocksEvent([opened(120, pool, token)], { epoch: 1 }));
    await settled();
    await role?.stop('SIGKILL');
    // The role writes the alert but cannot send it: the events stream accepts no more messages.
    const jsm = await connection.jetstreamManager();
    const { config } = await jsm.streams.info(EVENTS_STREAM);
    await startAlerts();
    await jsm.streams.update(EVENTS_STREAM, { ...config, max_msg_size: 8 });
    await publish(blocksEvent([block(121, [sync('half', 1000, 4, pool)])], { epoch: 1 }));
    const before = await until('written alert', async () => (await stored()).at(0), ANSWER_MS);
    await role?.stop('SIGKILL');
    assert.deepEqual(await sent(), []);
    await jsm.streams.update(EVENTS_STREAM, config);
    await startAlerts();
    await settled();
    assert.deepEqual(await stored(), [before]);
    assert.deepEqual(
      (await sent()).map(({ state, alert }) => ({ state, alert })),
      [{ state: 'raised', alert: before }],
    );
  });

  it('alerts to verdicts, taxes and rings that come while another process takes over, to none twice', async () => {
    const [token, wallet] = [address('judged'), address('joins')];
    await watch({ address: token, alerts: ['verdict_change', 'tax_change'] });
    await watch({ id: 43, type: 'wallet', address: wallet, alerts: ['cluster_activity'] });
    const judged = block(125);
    await publish(blocksEvent([judged], { epoch: 1 }));
    await settled();
    const taxes = [
      { number: 123, tax: 0, isDeleted: 0 },
      // Of an orphaned block.
      { number: 124, tax: 0.9, isDeleted: 1 },
      { number: judged.number, tax: 0.6, isDeleted: 0 },
    ];
    for (const { number, tax, isDeleted } of taxes) {
      await clickhouse.exec(
        `INSERT INTO verdict_history (chain_id, token, block_number, block_hash, trade_tax, version, is_deleted)
         SELECT ${CHAIN_ID}, unhex('${addressParam(token)}'), ${number}, unhex('${block(number).hash.slice(2)}'), ${tax}, 1, ${isDeleted}`,
      );
    }
    const first = role;
    await startAlerts();
    await first?.stop('SIGKILL');
    const place = { blockNumber: judged.number, blockHash: judged.hash };
    const verdict = score({ ...place, token });
    const change = ringChange({ ...place, clusterId: 'ring', joined: [wallet] });
    for (let i = 0; i < 2; i += 1) {
      await jetstream.publish(scoreSubject(CHAIN_ID, token), JSON.stringify(verdict));
      await jetstream.publish(clusterSubject(CHAIN_ID, 'ring'), JSON.stringify(change));
    }
    const jsm = await connection.jetstreamManager();
    const isHandled = async (): Promise<true | undefined> => {
      const messages = await jsm.consumers.info(EVENTS_STREAM, `alerts-${CHAIN_ID}`);
      return (messages.num_pending === 0 && messages.num_ack_pending === 0) || undefined;
    };
    await until('messages handled', isHandled, ANSWER_MS);
    assert.deepEqual(
      (await stored())
        .toSorted((a, b) => a.type.localeCompare(b.type))
        .map(({ type, watchId, details }) => [type, watchId, details['previous_tax']]),
      [
        ['cluster_activity', 43, undefined],
        ['tax_change', 41, 0],
        ['verdict_change', 41, undefined],
      ],
    );
    assert.equal((await sent()).length, 3);
  });

  it('stops alerting whoever stopped watching', async () => {
    const [pool, token] = [address('left pool'), address('left token')];
    const item = await watch({ address: token });
    await watch({ address: token, id: 42, family: `${family}b` });
    assert.equal(await createWatchlistStore(redis).remove(item), true);
    await untilChangesFollowed(redis, 1);
    await publish(blocksEvent([opened(130, pool, token)], { epoch: 1 }));
    await publish(blocksEvent([block(131, [sync('left', 1000, 4, pool)])], { epoch: 1 }));
    await settled();
    assert.deepEqual(await stored(), []);
    family = `${family}b`;
    assert.deepEqual(
      (await stored()).map(({ watchId }) => watchId),
      [42],
    );
  });

  it('drains on SIGTERM', async () => {
    assert.equal(await role?.stop('SIGTERM'), 0);
  });

  it('knows what happened long before, by the last of many messages and the index', async () => {
    const [pool, token] = [address('far pool'), address('far token')];
    await watch({ address: token });
    const start = 30_000;
    await publish(blocksEvent([opened(start, pool, token)], { epoch: 1 }));
    for (let number = start + 1; number <= start + 600; number += 1) {
      await publish(blocksEvent([block(number)], { epoch: 1 }));
    }
    const recent = block(start + 601, [sync('recent', 1000, 90, pool)]);
    await publish(blocksEvent([recent], { epoch: 1 }));
    await settled();
    await role?.stop('SIGKILL');
    await acknowledgeAsScorer();
    await clickhouse.exec(
      `INSERT INTO dim_pools (chain_id, token, pool, other_token, token_is_0) SELECT ${CHAIN_ID},
        unhex('${addressParam(token)}'), unhex('${addressParam(pool)}'), unhex('${addressParam(WETH)}'), 1`,
    );
    await startAlerts();
    await publish(blocksEvent([block(start + 602, [sync('far', 1, 9, pool)])], { epoch: 1 }));
    await settled();
    assert.deepEqual(
      (await stored()).map(({ details }) => details['liquidity_change']),
      [-0.9],
    );
  });
});
