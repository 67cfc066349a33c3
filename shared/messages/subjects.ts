import type { Hex } from '../chain/block.ts';

/** Roles that read a chain's stream, each through a durable consumer of its own name. */
export const CHAIN_READERS = ['scorer', 'alerts', 'clusters'] as const;
export type ChainReader = (typeof CHAIN_READERS)[number];

/** One stream a chain: its sequence numbers fence a second watcher of the same chain. */
export const chainStream = (chainId: number): string => `CHAIN_${chainId}`;
export const chainSubject = (chainId: number): string => `chain.${chainId}.event`;

/** Verdicts, changes of rings, alerts, and the ends of analyses. */
export const EVENTS_STREAM = 'EVENTS';
export const EVENTS_SUBJECTS: readonly string[] = ['score.>', 'cluster.>', 'alert.>', 'analysis.>'];
/** Those that become events for clients. */
export const PUSHED_SUBJECTS: readonly string[] = ['alert.>', 'score.>', 'analysis.>'];
/** Durable consumer that webhooks are fed by; all push processes share it. */
export const PUSH_CONSUMER = 'push';
export const scoreSubject = (chainId: number, token: Hex): string => `score.${chainId}.${token}`;
/** All verdicts of a chain. */
export const scoreSubjects = (chainId: number): string => `score.${chainId}.>`;
export const clusterSubject = (chainId: number, clusterId: string): string =>
  `cluster.${chainId}.${clusterId}`;
/** All changes of rings of a chain. */
export const clusterSubjects = (chainId: number): string => `cluster.${chainId}.>`;
/** Says that wallets of a chain were stored, with an empty message that no stream keeps: who misses it looks at the table. */
export const walletsSubject = (chainId: number): string => `wallets.${chainId}`;
/** The end of an analysis requested by a key family. */
export const analysisSubject = (family: string): string => `analysis.${family}`;
export const alertSubject = (family: string): string => `alert.${family}`;

/** Analyses requested by clients, one work queue a chain. */
export const JOBS_STREAM = 'JOBS';
export const JOBS_SUBJECTS: readonly string[] = ['jobs.>'];
export const analyzeSubject = (chainId: number): string => `jobs.analyze.${chainId}`;
export const analyzeConsumer = (chainId: number): string => `scorer-${chainId}`;

/** Messages that can never succeed, kept for a person to look at. Never chain blocks. */
export const DEAD_LETTER_STREAM = 'DLQ';
export const DEAD_LETTER_SUBJECTS: readonly string[] = ['dlq.>'];
