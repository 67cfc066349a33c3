import { Counter, Histogram } from 'prom-client';
import type { NodeMeter } from '../rpc/meterCalls.ts';
import type { MetricsRegistry } from './registry.ts';
import { WORK_SECONDS } from './seconds.ts';

/** Nodes are those of RPC_URL, methods those this service calls. */
export const createNodeMetrics = (registry: MetricsRegistry): NodeMeter => {
  const registers = [registry];
  const calls = new Counter({
    name: 'tsd_node_calls_total',
    help: 'JSON-RPC calls made, each call of a batch by itself.',
    labelNames: ['method'],
    registers,
  });
  const errors = new Counter({
    name: 'tsd_node_errors_total',
    help: 'JSON-RPC calls that failed, by what was wrong; kind reverted is an answer of a contract.',
    labelNames: ['node', 'method', 'kind'],
    registers,
  });
  const seconds = new Histogram({
    name: 'tsd_node_request_seconds',
    help: 'Time of one HTTP request to a node, a batch being one.',
    labelNames: ['node'],
    buckets: WORK_SECONDS,
    registers,
  });
  return {
    called: (method) => calls.inc({ method }),
    failed: (node, method, kind) => errors.inc({ node, method, kind }),
    exchanged: (node, tookMs) => seconds.observe({ node }, tookMs / 1_000),
  };
};
