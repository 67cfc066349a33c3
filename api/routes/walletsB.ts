import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Graphs } from '../graph/graph.ts';
import { connectionsOf } from '../present/graph.ts';
import { successB } from '../present/styleB.ts';
import { walletAnalysis, walletB, walletReputation, walletVersion } from '../present/wallet.ts';
import { envelopeB } from '../schema/envelope.ts';
import { addressInput, nothing, queryIntegerOr } from '../schema/fields.ts';
import { walletAnalysisSchema, walletBSchema, walletReputationSchema } from '../schema/wallet.ts';
import { z } from '../schema/zod.ts';
import type { Wallets } from '../wallets/wallet.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_TIME } from './examples.ts';
import { walletAt } from './getWallet.ts';
import { queryTime } from './queryTime.ts';
import {
  EXAMPLE_PUPPET,
  EXAMPLE_TX,
  exampleFactor,
  exampleReputation,
  exampleReputationHistory,
  exampleWallet,
} from './walletExamples.ts';

const CONNECTIONS_MAX = 25;
/** Nodes read for them: tokens are among these too. */
const CONNECTION_NODES_MAX = 200;

const paramsSchema = z.object({ address: addressInput }).strict();
const errors = [400, 401, 404, 429, 500, 503] as const;

/** GET /api/wallets/{address} */
export const getWalletB = (ports: { wallets: Wallets; graphs: Graphs }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/wallets/{address}',
    id: 'getWalletReport',
    tag: 'Wallets',
    style: 'B',
    summary: 'Wallet with reputation, scam history and connections',
    description: 'The newest 50 scams and the 25 heaviest connections.',
    lowestTier: 'free',
    params: paramsSchema,
    query: nothing,
    response: envelopeB(walletBSchema),
    successes: { 200: 'The wallet' },
    errors,
    example: {
      data: {
        ...exampleWallet,
        risk_level: 'CRITICAL',
        reputation: exampleReputation,
        scam_history: [
          {
            token: { address: EXAMPLE_ADDRESS, name: 'Moon Pepe', symbol: 'MPEPE' },
            role: 'creator',
            outcome: 'rug_pull',
            at: EXAMPLE_TIME,
            value_stolen_usd: 14_800,
            victims: 212,
            tx_hash: EXAMPLE_TX,
          },
        ],
        connections: [
          {
            address: EXAMPLE_PUPPET,
            relation: 'funded',
            direction: 'in',
            weight: 0.9,
            risk_score: 80,
            tx_count: 3,
            first_at: '2026-11-20T18:02:11Z',
            last_at: EXAMPLE_TIME,
          },
        ],
      },
      success: true,
    },
    handle: async ({ params: { address } }) => {
      const wallet = await walletAt(ports.wallets, address);
      const [scams, graph] = await Promise.all([
        ports.wallets.scams(address),
        ports.graphs.around(address, {
          depth: 1,
          nodesMax: CONNECTION_NODES_MAX,
          direction: 'both',
        }),
      ]);
      const connections = graph ? connectionsOf(graph, CONNECTIONS_MAX) : [];
      return { body: successB(walletB(wallet, scams, connections)) };
    },
  });

/** GET /api/wallet/{address} */
export const getWalletAnalysis = ({ wallets }: { wallets: Wallets }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/wallet/{address}',
    id: 'getWalletAnalysis',
    tag: 'Wallets',
    style: 'B',
    summary: 'Wallet analysis',
    description: 'What the behaviour of a wallet tells: who funded it, what it did, why its score.',
    lowestTier: 'free',
    params: paramsSchema,
    query: nothing,
    response: envelopeB(walletAnalysisSchema),
    successes: { 200: 'The wallet' },
    errors,
    example: {
      data: {
        ...exampleWallet,
        risk_level: 'CRITICAL',
        analysis: {
          funding_source: { address: EXAMPLE_PUPPET, kind: 'wallet', tx_hash: EXAMPLE_TX },
          behaviours: [
            {
              id: 'lp_removed_within_24h',
              text: 'Removed liquidity within 24 h of launch',
              count: 14,
            },
          ],
          factors: [exampleFactor],
          median_token_lifetime_hours: 6.5,
          counterparties: 118,
        },
      },
      success: true,
    },
    handle: async ({ params }) => {
      const wallet = await walletAt(wallets, params.address);
      return { body: successB(walletAnalysis(wallet)), version: walletVersion(wallet) };
    },
  });

const reputationOf = (
  path: string,
  operation: { id: string; summary: string },
  { wallets, baseUrl }: { wallets: Wallets; baseUrl: string },
): Endpoint =>
  defineEndpoint({
    ...operation,
    method: 'get',
    path,
    tag: 'Wallets',
    style: 'B',
    description:
      '`reputation_score` starts at 50; the contributions of `factors` add up to score - 50. `history` is newest first.',
    lowestTier: 'free',
    params: paramsSchema,
    query: z
      .object({ from: queryTime, to: queryTime, limit: queryIntegerOr(100, 1, 1_000) })
      .strict(),
    response: envelopeB(walletReputationSchema),
    successes: { 200: 'The reputation' },
    errors,
    example: { data: { ...exampleReputation, history: exampleReputationHistory }, success: true },
    handle: async ({ params: { address }, query }) => {
      const wallet = await walletAt(wallets, address);
      const steps = await wallets.history(address, {
        fromS: query.from === undefined ? undefined : Math.ceil(query.from / 1000),
        toS: query.to === undefined ? undefined : Math.floor(query.to / 1000),
        limit: query.limit,
      });
      const canonical = `${baseUrl}/api/wallets/${address}/reputation`;
      return {
        body: successB(walletReputation(wallet, steps)),
        headers: { Link: `<${canonical}>; rel="canonical"` },
      };
    },
  });

/** GET /api/wallets/{address}/reputation */
export const getWalletReputation = (ports: { wallets: Wallets; baseUrl: string }): Endpoint =>
  reputationOf(
    '/api/wallets/{address}/reputation',
    { id: 'getWalletReputation', summary: 'Reputation score and history' },
    ports,
  );

/** GET /api/wallet/{address}/reputation */
export const getWalletReputationAlias = (ports: { wallets: Wallets; baseUrl: string }): Endpoint =>
  reputationOf(
    '/api/wallet/{address}/reputation',
    { id: 'getWalletReputationAlias', summary: 'Reputation (singular alias)' },
    ports,
  );
