/**
 * Which source is polled when: by due time, several at once, one at a time per host; and the share of one poller in
 * the roster, among all that run.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import TinyQueue from 'tinyqueue';
import { pause } from '../../../log/backoff.ts';
import { logError, retryUntilSuccess } from '../../../log/errors.ts';
import type { Group, Membership } from '../../../log/postgres/topics/consumer-group.ts';
import type { Source, SourceId } from '../../../schemas/source.ts';

// Rendezvous hashing: a member that joins or leaves moves no names of other members. Hosts are shared, not sources: the
// pause between two requests to a host is kept in one process.

const weight = (member: string, name: string): bigint =>
  createHash('sha1').update(`${member}\n${name}`).digest().readBigUInt64BE();

/**
 * The member that owns a name: the one with the greatest weight for it.
 * @param members in any order
 * @returns null when there is none
 */
export function ownerOf(name: string, members: readonly string[]): string | null {
  let owner: string | null = null;
  let greatest = -1n;
  for (const member of members) {
    const weighed = weight(member, name);
    if (weighed < greatest || (weighed === greatest && owner !== null && member > owner)) continue;
    greatest = weighed;
    owner = member;
  }
  return owner;
}

export interface Share {
  /** True for a source that this poller polls. */
  owns(sourceId: SourceId): boolean;
  /** @returns a function that releases the source, or null while another poller polls it */
  claim: Membership['claim'];
}

/** The share of a single poller. */
const WHOLE_ROSTER: Share = { owns: () => true, claim: async () => async () => undefined };

const BEAT_INTERVAL = 1_000;

interface SharingOptions {
  readonly hostOf: (sourceId: SourceId) => string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Joins the group and works on the share until the signal aborts. When the membership is lost, as in a restart of the
 * database, the work is aborted, since others may poll the same sources by then, and started again.
 * @param hostOf the host of a source
 * @param work runs until its signal aborts; `onChange` registers what is called when the share changes
 */
export async function workOnShare(
  group: Group | undefined,
  { hostOf, logger, signal }: SharingOptions,
  work: (share: Share, signal: AbortSignal, onChange: (changed: () => void) => void) => Promise<void>,
): Promise<void> {
  if (!group) return work(WHOLE_ROSTER, signal, () => undefined);
  while (!signal.aborted) {
    const member = await retryUntilSuccess(() => group.join(), { what: 'joining the pollers', logger, signal });
    const lost = new AbortController();
    void member.ended.then(() => lost.abort(new Error('the membership of this poller was lost')));
    try {
      await workAsMember(member, { hostOf, logger, signal: AbortSignal.any([signal, lost.signal]) }, work);
    } catch (error) {
      if (!lost.signal.aborted) throw error;
    } finally {
      await member.leave();
    }
    if (!signal.aborted) logger.warn('lost the membership of the pollers, joining again');
  }
}

async function workAsMember(
  member: Membership,
  { hostOf, logger, signal }: SharingOptions,
  work: Parameters<typeof workOnShare>[2],
): Promise<void> {
  let members = await member.beat();
  let owners = new Map<string, boolean>();
  let changed = (): void => undefined;
  const owns = (id: SourceId): boolean => {
    const host = hostOf(id);
    const isOwner = owners.get(host) ?? ownerOf(host, members) === member.id;
    owners.set(host, isOwner);
    return isOwner;
  };
  async function keepBeating(): Promise<void> {
    while (!signal.aborted) {
      await pause(BEAT_INTERVAL, signal);
      if (signal.aborted) return;
      const now = await member.beat();
      if (now.join() === members.join()) continue;
      members = now;
      owners = new Map();
      logger.info({ pollers: members.length }, 'the group of pollers changed');
      changed();
    }
  }
  const beating = keepBeating().catch((error: unknown) => {
    // The end of the connection ends the work; this is only for the log.
    if (!signal.aborted) logError(logger, error, {}, 'the heartbeat of a poller failed');
  });
  await work({ owns, claim: member.claim }, signal, (listener) => {
    changed = listener;
  });
  await beating;
}

// When each of many sources is due: a heap, so that ten thousand cost one timer.

interface Slot {
  readonly id: SourceId;
  readonly due: number;
  /** Earlier ones go first where the time is the same. */
  readonly order: number;
}

/** When each source is due, in milliseconds since 1970. */
export class Schedule {
  readonly #heap = new TinyQueue<Slot>([], (one, other) => one.due - other.due || one.order - other.order);
  /** The slot that counts for a source; others of it in the heap are stale and skipped. */
  readonly #current = new Map<SourceId, Slot>();
  #order = 0;
  /** Milliseconds that are added to the times of slots. */
  #shifted = 0;

  /** Sets or changes when a source is due. */
  set(id: SourceId, due: number): void {
    const slot = { id, due: due - this.#shifted, order: this.#order++ };
    this.#current.set(id, slot);
    this.#heap.push(slot);
  }

  remove(id: SourceId): void {
    this.#current.delete(id);
  }

  /** Moves all due times by so many milliseconds, which may be negative: the clock was set. */
  shift(milliseconds: number): void {
    this.#shifted += milliseconds;
  }

  /** When the next one is due, null when there is none. */
  next(): number | null {
    const slot = this.#first();
    return slot && slot.due + this.#shifted;
  }

  /** Takes out the first that is due at `now`, null when none is. */
  take(now: number): SourceId | null {
    const slot = this.#first();
    if (!slot || slot.due + this.#shifted > now) return null;
    this.#heap.pop();
    this.#current.delete(slot.id);
    return slot.id;
  }

  #first(): Slot | null {
    for (let top = this.#heap.peek(); top; top = this.#heap.peek()) {
      if (this.#current.get(top.id) === top) return top;
      this.#heap.pop();
    }
    return null;
  }
}

interface RoundsOptions {
  /** The sources to be polled, as they are now. */
  readonly sources: () => readonly Source[];
  /** Polls a source. @returns when it is due again, in milliseconds since 1970 */
  readonly poll: (source: Source) => Promise<number>;
  /** Called when a source left the roster. */
  readonly onRemoved: (id: SourceId) => void;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly concurrency: number;
}

/** Milliseconds until a source is polled again after a defect. */
const RETRY_AFTER_DEFECT = 600_000;
/** Maximum sleep: timers of many days are not reliable. */
const MAX_SLEEP = 3_600_000;

/** Milliseconds that changes of the roster are gathered. */
const CHANGE_DELAY = 100;

/** Why a sleep ends early. Without a reason each abort makes an error with its stack. */
const WOKEN = 'woken';

const knownHosts = new WeakMap<Source, string>();

/** The host of a source: its sources are polled by one poller, one at a time. */
export function hostOf(source: Source): string {
  const host = knownHosts.get(source) ?? URL.parse(source.url)?.host ?? source.url;
  knownHosts.set(source, host);
  return host;
}

/** Polls the sources of the roster when they are due; nothing is polled before `run`. */
export class Rounds {
  readonly #options: RoundsOptions;
  readonly #schedule = new Schedule();
  #sources: ReadonlyMap<SourceId, Source> = new Map();
  /** When a change of the roster is to be looked at; null when there is none. */
  #lookAt: number | null = 0;
  /** The last reading of the clock. */
  #last: number;
  /** Milliseconds that it was set back so far. */
  #turnedBack = 0;
  readonly #running = new Map<SourceId, Promise<void>>();
  /** Sources that are to be polled again as soon as their poll has ended. */
  readonly #again = new Set<SourceId>();
  /** Sources that wait for their host, by host; a host is in it while it is polled. */
  readonly #hosts = new Map<string, SourceId[]>();
  /** Ends the sleep between two looks at the schedule. */
  #wake: () => void = () => undefined;

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#last = this.#now();
  }

  /** The list of sources changed. New ones are due at once, in their order. */
  changed(): void {
    // A roster of thousands arrives as thousands of events: they are handled together.
    this.#lookAt ??= this.#now() + CHANGE_DELAY;
    this.#wake();
  }

  /** Polls a source now; one that is being polled, again right after. No effect on sources of other pollers. */
  pollNow(id: SourceId): void {
    if (!this.#sources.has(id) || [...this.#hosts.values()].some((waiting) => waiting.includes(id))) return;
    if (this.#running.has(id)) this.#again.add(id);
    else this.#schedule.set(id, this.#now());
    this.#wake();
  }

  /** Polls until the signal aborts. */
  async run(): Promise<void> {
    const { signal, pause, concurrency } = this.#options;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const sleeping = new AbortController();
      this.#wake = () => sleeping.abort(WOKEN);
      this.#noticeClock();
      this.#look();
      this.#start();
      const now = this.#now();
      const due = this.#running.size < concurrency ? this.#schedule.next() : null;
      const next = Math.min(due ?? now + MAX_SLEEP, this.#lookAt ?? now + MAX_SLEEP, now + MAX_SLEEP);
      await pause(Math.max(0, next - now), sleeping.signal);
    }
    await Promise.allSettled(this.#running.values());
  }

  #now(): number {
    return this.#options.clock().getTime();
  }

  async #pollOne(source: Source, host: string): Promise<void> {
    const { poll, logger, signal } = this.#options;
    let due: number;
    const asOf = this.#turnedBack;
    try {
      due = await poll(source);
    } catch (error) {
      if (!signal.aborted) logError(logger, error, { source: source.id }, 'a poll was aborted by an error');
      due = this.#now() + RETRY_AFTER_DEFECT;
    }
    this.#noticeClock();
    // Set back during the poll, the clock may have said `due` before or after.
    if (this.#turnedBack > asOf) due = Math.min(due, this.#now() + RETRY_AFTER_DEFECT);
    if (this.#again.delete(source.id)) due = this.#now();
    // It may have been retired or changed meanwhile; then `#look` has said when it is due, if at all.
    if (this.#sources.get(source.id) === source) this.#schedule.set(source.id, due);
    this.#running.delete(source.id);
    this.#startNextAt(host);
    this.#wake();
  }

  /** The host is free: the next source that waits for it takes the place of the one that ended. */
  #startNextAt(host: string): void {
    const waiting = this.#hosts.get(host) ?? [];
    for (let id = waiting.shift(); id !== undefined && !this.#options.signal.aborted; id = waiting.shift()) {
      const source = this.#sources.get(id);
      if (!source) continue;
      if (hostOf(source) !== host || this.#running.has(id)) {
        this.#schedule.set(id, this.#now() + 1_000);
        continue;
      }
      this.#running.set(id, this.#pollOne(source, host));
      return;
    }
    this.#hosts.delete(host);
  }

  #start(): void {
    while (this.#running.size < this.#options.concurrency) {
      const id = this.#schedule.take(this.#now());
      if (id === null) return;
      const source = this.#sources.get(id);
      if (!source) continue;
      if (this.#running.has(id)) {
        // Changed while it is polled: polled again afterwards.
        this.#schedule.set(id, this.#now() + 1_000);
        continue;
      }
      const host = hostOf(source);
      const waiting = this.#hosts.get(host);
      if (waiting) {
        waiting.push(id);
        continue;
      }
      this.#hosts.set(host, []);
      this.#running.set(id, this.#pollOne(source, host));
    }
  }

  /** Takes over a changed roster once its changes are gathered. */
  #look(): void {
    const now = this.#now();
    if (this.#lookAt === null || this.#lookAt > now) return;
    this.#lookAt = null;
    const earlierSources = this.#sources;
    const sources = new Map(this.#options.sources().map((source) => [source.id, source]));
    this.#sources = sources;
    for (const id of earlierSources.keys())
      if (!sources.has(id)) {
        this.#schedule.remove(id);
        this.#options.onRemoved(id);
      }
    for (const [id, source] of sources) {
      const earlier = earlierSources.get(id);
      if (earlier === source) continue;
      if (earlier && isDeepStrictEqual(earlier, source)) sources.set(id, earlier);
      else this.#schedule.set(id, now);
    }
  }

  /** When the clock is set back, due times move back with it; else all sources would wait until the clock catches up. */
  #noticeClock(): void {
    const now = this.#now();
    if (now < this.#last) {
      this.#schedule.shift(now - this.#last);
      if (this.#lookAt !== null) this.#lookAt += now - this.#last;
      this.#turnedBack += this.#last - now;
    }
    this.#last = now;
  }
}
