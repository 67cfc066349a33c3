import type { Hex } from '../chain/block.ts';

/** Roles that read a chain's stream, each through a durable consumer named after it. */
export const CHAIN_READERS = ['scorer', 'alerts', 'clusters'] as const;
export type ChainReader = (typeof CHAIN_READERS)[number];

/** One stream per chain: its sequence numbers exclude a second watcher of the same chain. */
export const chainStream = (chainId: number): string => `CHAIN_${chainId}`;
export const chainSubject = (chainId: number): string => `chain.${chainId}.event`;

/** Verdicts, changes of rings, alerts, and finished analyses. */
export const EVENTS_STREAM = 'EVENTS';
export const EVENTS_SUBJECTS: readonly string[] = ['score.>', 'cluster.>', 'alert.>', 'analysis.>'];
/** Those that become events for clients. */
export const PUSHED_SUBJECTS: readonly string[] = ['alert.>', 'score.>', 'analysis.>'];
/** Durable consumer that feeds webhooks; all push processes share it. */
export const PUSH_CONSUMER = 'push';
export const scoreSubject = (chainId: number, token: Hex): string => `score.${chainId}.${token}`;
/** All verdicts of a chain. */
export const scoreSubjects = (chainId: number): string => `score.${chainId}.>`;
export const clusterSubject = (chainId: number, clusterId: string): string =>
  `cluster.${chainId}.${clusterId}`;
/** All changes of rings of a chain. */
export const clusterSubjects = (chainId: number): string => `cluster.${chainId}.>`;
/**
 * Announces that wallets of a chain were stored, by an empty message that no stream stores: readers that miss it poll
 * the table.
 */
export const walletsSubject = (chainId: number): string => `wallets.${chainId}`;
/** The end of an analysis requested by a key family. */
export const analysisSubject = (family: string): string => `analysis.${family}`;
export const alertSubject = (family: string): string => `alert.${family}`;

/** Analyses requested by clients, one work queue per chain. */
export const JOBS_STREAM = 'JOBS';
export const JOBS_SUBJECTS: readonly string[] = ['jobs.>'];
export const analyzeSubject = (chainId: number): string => `jobs.analyze.${chainId}`;
export const analyzeConsumer = (chainId: number): string => `scorer-${chainId}`;

/** Messages that can never succeed, kept for manual inspection. Never chain blocks. */
export const DEAD_LETTER_STREAM = 'DLQ';
export const DEAD_LETTER_SUBJECTS: readonly string[] = ['dlq.>'];
