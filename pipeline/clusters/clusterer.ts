import { assembleBlocks } from '../../shared/chain/assembleBlocks.ts';
import type { Hex } from '../../shared/chain/block.ts';
import type {
  BlockFacts,
  BlocksEvent,
  ChainEvent,
  FinalizeEvent,
  ReorgEvent,
} from '../../shared/chain/chainEvent.ts';
import { chainPosition } from '../../shared/chain/version.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { SequencedEvent } from '../../shared/platform/chainConsumer.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { ChainIndex } from './chainIndex.ts';
import { contractsIn, creationsIn, type IndexedCreation } from './facts/creations.ts';
import { type BlockGraph, createdFact } from './facts/graphFact.ts';
import type { FlushMoment } from './flushPorts.ts';
import type { RingDetector } from './graph/createRingDetector.ts';
import type { GraphProgress, GraphStore } from './graph/graphStore.ts';
import { type Bases, type Dirty, REORG_BLOCKS_MAX, RingMemory } from './memory/ringMemory.ts';
import type { RingStore } from './rings/ringStore.ts';
import type { WalletReader } from './wallets/walletReader.ts';

/** Consecutive block events, always of one epoch, and the events between such runs. */
type ChainStep =
  | { readonly kind: 'blocks'; readonly events: BlocksEvent[] }
  | { readonly kind: 'reorg'; readonly event: ReorgEvent }
  | { readonly kind: 'finalize'; readonly event: FinalizeEvent };

/** A batch of events as steps, in order: blocks are processed together, which costs little more than one. */
const chainSteps = (batch: readonly { readonly event: ChainEvent }[]): ChainStep[] => {
  const steps: ChainStep[] = [];
  for (const { event } of batch) {
    const last = steps.at(-1);
    if (event.kind === 'reorg') steps.push({ kind: 'reorg', event });
    else if (event.kind === 'finalize') steps.push({ kind: 'finalize', event });
    else if (last?.kind === 'blocks') last.events.push(event);
    else steps.push({ kind: 'blocks', events: [event] });
  }
  return steps;
};

/** Dependencies of the clusterer. */
export interface ClustererPorts {
  readonly bases: Bases;
  readonly detector: RingDetector;
  readonly graph: GraphStore;
  readonly index: ChainIndex;
  readonly rings: Pick<RingStore, 'living' | 'lastVersion'>;
  readonly reader: Pick<WalletReader, 'known'>;
  /** Stores and publishes changes; returns the wallets that have a row now. */
  readonly flush: (dirty: Dirty, moment: FlushMoment) => Promise<Iterable<Hex>>;
  readonly clock: Pick<Clock, 'sleep'>;
}

type ScoredToken = Pick<ScoreMessage, 'token' | 'prediction' | 'previousPrediction'>;

/** Milliseconds between polls of the scorer's progress. */
const INDEX_POLL_MS = 25;

/**
 * Keeps the rings and wallets of one chain up to date. For each block it waits until the scorer has stored it, so
 * that its new tokens are known; then it derives the block's graph facts, stores them and adds them to memory. The
 * resulting changes are stored and published, and only then the position in the chain. Memory is a function of the
 * stored facts up to that position, so any event or verdict may be delivered again.
 */
export class Clusterer {
  readonly #ports: ClustererPorts;
  readonly #memory: RingMemory;
  /** Position that memory has reached; undefined before the first block. */
  #progress: GraphProgress | undefined;
  /** Cause of the next flush; undefined if memory and tables agree. */
  #pending: FlushMoment['trigger'] | undefined;
  /** Version of the rows written next; never decreases. */
  #version = 0;
  /** The block whose facts may continue in the next message. */
  #open: BlockFacts | null = null;
  /** The end of all work submitted so far, which runs one piece at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: ClustererPorts) {
    this.#ports = ports;
    this.#memory = new RingMemory(ports.detector, ports.bases);
  }

  /** Rebuilds memory from stored data, and stores what a crash left undone. Must be called first. */
  start(): Promise<void> {
    return this.#exclusive(() => this.#rebuild());
  }

  /** Applies a piece of a block that was handled before this process started. */
  recall({ event }: SequencedEvent): void {
    if (event.kind === 'blocks') this.#open = assembleBlocks(this.#open, event).open;
  }

  /** Handles events in order. Any of them may be delivered again, after a failure or a crash. */
  handle(batch: readonly SequencedEvent[]): Promise<void> {
    return this.#exclusive(async () => {
      const before = this.#open;
      try {
        for (const step of chainSteps(batch)) {
          if (step.kind === 'blocks') await this.#takeBlocks(step.events);
          else if (step.kind === 'reorg') await this.#reorganise(step.event);
          else this.#memory.finalize(step.event.block.number);
        }
        await this.#store();
      } catch (error) {
        // The same batch is retried: a piece of a block must not be added to it twice.
        this.#open = before;
        throw error;
      }
    });
  }

  /** Re-examines those tokens whose verdict in memory differs from the table. */
  turned(tokens: readonly Hex[]): Promise<void> {
    return this.#exclusive(async () => {
      const verdicts = await this.#ports.index.verdicts(tokens);
      const { detector } = this.#ports;
      const missed = tokens.filter(
        (token) => detector.isScam(token) !== (verdicts.get(token) ?? false),
      );
      if (missed.length > 0) await this.#setVerdict(missed);
    });
  }

  /** Re-examines tokens whose verdict changed. */
  onVerdicts(messages: readonly ScoredToken[]): Promise<void> {
    const turned = messages.filter((each) => each.prediction !== each.previousPrediction);
    const tokens = [...new Set(turned.map(({ token }) => token))];
    return this.#exclusive(async () => {
      if (tokens.length > 0) await this.#setVerdict(tokens);
    });
  }

  counts(): Readonly<Record<string, number>> {
    return { block: this.#progress?.block.number ?? -1, ...this.#memory.counts() };
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #rebuild(): Promise<void> {
    const { graph, rings, reader, index, detector } = this.#ports;
    this.#progress = await graph.progress();
    if (!this.#progress) return;
    const height = this.#progress.block.number;
    this.#version = await rings.lastVersion();
    const rows = await reader.known();
    this.#memory.track(rows.map(({ wallet }) => wallet));
    for (const token of await index.scams()) detector.loadVerdict(token, true);
    for await (const page of graph.blocksUpTo(height)) {
      for (const block of page) this.#memory.load(block);
      // Facts that no reorg can reach may be evicted when the table is full, already during loading.
      const loaded = page.at(-1)?.number ?? 0;
      this.#memory.finalize(Math.min(loaded, height - REORG_BLOCKS_MAX));
    }
    this.#memory.findRings(await rings.living());
    this.#memory.compareRows(rows);
    this.#pending = 'block';
    await this.#store(true);
  }

  /** Whether a position is beyond the one that memory has reached. */
  #isAhead(epoch: number, height: number): boolean {
    if (!this.#progress) return true;
    const { epoch: known, block } = this.#progress;
    return epoch > known || (epoch === known && height > block.number);
  }

  async #untilIndexed(position: number): Promise<void> {
    const { index, clock } = this.#ports;
    while ((await index.position()) < position) await clock.sleep(INDEX_POLL_MS);
  }

  async #takeBlocks(events: readonly BlocksEvent[]): Promise<void> {
    const epoch = events.at(-1)?.epoch ?? 0;
    const complete: BlockFacts[] = [];
    for (const event of events) {
      const assembled = assembleBlocks(this.#open, event);
      this.#open = assembled.open;
      complete.push(...assembled.complete);
    }
    const fresh = complete.filter(({ number }) => this.#isAhead(epoch, number));
    const reached = [events.findLast(({ last }) => last)?.to, fresh.at(-1)]
      .flatMap((block) => block ?? [])
      .toSorted((a, b) => b.number - a.number)[0];
    if (!reached || !this.#isAhead(epoch, reached.number)) return;
    await this.#untilIndexed(chainPosition(epoch, reached.number));
    await this.#learn(fresh, epoch);
    this.#arrive(epoch, reached, 'block');
  }

  async #learn(blocks: readonly BlockFacts[], epoch: number): Promise<void> {
    const { graph, index } = this.#ports;
    const created = creationsIn(await index.creations(contractsIn(blocks)), blocks);
    const graphs = blocks.map((block) => this.#memory.graphOf(block, created));
    await graph.insert(graphs, epoch);
    const verdicts = await index.verdicts(created.map(({ token }) => token));
    for (const [token, isScam] of verdicts) this.#memory.setVerdict(token, isScam);
    for (const block of graphs) this.#memory.learn(block);
  }

  async #reorganise(reorg: ReorgEvent): Promise<void> {
    const { epoch, ancestor, orphaned } = reorg;
    if (this.#progress && epoch <= this.#progress.epoch) return;
    const { graph } = this.#ports;
    await this.#untilIndexed(chainPosition(epoch, 0));
    this.#open = null;
    await graph.insertTombstones(reorg);
    const hashes = new Set(orphaned.map(({ hash }) => hash));
    this.#memory.undo(hashes, await graph.tombstonesOf(reorg));
    this.#arrive(epoch, ancestor, 'reorg');
  }

  /** Reports the position that memory has reached. */
  #arrive(
    epoch: number,
    { number, hash, timestampS }: GraphProgress['block'],
    trigger: FlushMoment['trigger'],
  ): void {
    this.#version = Math.max(this.#version, chainPosition(epoch, number));
    this.#progress = { epoch, block: { number, hash, timestampS } };
    this.#pending = trigger;
  }

  /** Stores the changes up to a position in the chain, then the position. */
  async #store(isStart = false): Promise<void> {
    if (!this.#pending || !this.#progress) return;
    const { block } = this.#progress;
    if (this.#memory.hasChanged()) {
      const moment = { block, trigger: this.#pending, version: this.#version, isStart };
      this.#memory.stored(await this.#ports.flush(this.#memory.dirty, moment));
    }
    await this.#ports.graph.saveProgress(this.#progress, this.#version);
    this.#pending = undefined;
  }

  async #setVerdict(tokens: readonly Hex[]): Promise<void> {
    const { index } = this.#ports;
    const [verdicts, creations] = await Promise.all([
      index.verdicts(tokens),
      index.creations(tokens),
    ]);
    await this.#addLateCreations(creations.filter(({ source }) => source !== 'first_transfer'));
    for (const token of tokens) this.#memory.setVerdict(token, verdicts.get(token) ?? false);
    for (const { creator } of creations) this.#memory.noteCreator(creator);
    this.#pending ??= 'verdict';
    await this.#store();
  }

  /** Creations in blocks that were read before their token was known, because a client requested it later. */
  async #addLateCreations(creations: readonly IndexedCreation[]): Promise<void> {
    const progress = this.#progress;
    if (!progress) return;
    const late = creations.filter(
      ({ token, block }) =>
        block.number <= progress.block.number && !this.#memory.knowsCreationOf(token),
    );
    const blocks = late.map(
      (creation): BlockGraph => ({
        ...creation.block,
        timestampS: creation.atS,
        facts: [createdFact(creation)],
      }),
    );
    const { graph } = this.#ports;
    await graph.insertEdges(blocks, progress.epoch);
    await graph.insert(blocks, progress.epoch);
    for (const block of blocks) this.#memory.learn(block);
  }
}
