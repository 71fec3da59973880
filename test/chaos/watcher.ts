/** Watches processes from outside: liveness and memory of each. */
import { readFile } from 'node:fs/promises';
import { pause } from '../../log/backoff.ts';
import type { Processes } from './processes.ts';

export interface Watcher {
  /** Timeouts of `/livez` after a first response. */
  readonly dead: readonly string[];
  /** Peak megabytes of the largest process. */
  maxResident(): number;
  /** The peak of each process, as text. */
  summary(): string;
  stop(): Promise<void>;
}

const EVERY = 500;
/** Milliseconds: ten times the timeout of an orchestrator, because test machines may pause. */
const TIMEOUT_MS = 30_000;
const MEGABYTE = 1_000_000;

/** Resident bytes as reported by Linux; 0 elsewhere and for a process that ended. */
async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return 1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}

export function startWatcher(processes: Processes): Watcher {
  const stopping = new AbortController();
  const dead: string[] = [];
  const alive = new Set<number>();
  const largest = new Map<number, { readonly words: string; readonly bytes: number }>();
  const look = async ({ words, pid, port }: ReturnType<Processes['watched']>[number]): Promise<void> => {
    const bytes = await residentOf(pid);
    if (bytes > (largest.get(port)?.bytes ?? 0)) largest.set(port, { words, bytes });
    const answer = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
      String,
    );
    if (typeof answer !== 'string' && answer.ok) alive.add(pid);
    else if (alive.has(pid)) dead.push(`${words}: ${typeof answer === 'string' ? answer : answer.status}`);
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await Promise.all(processes.watched().map(look));
      await pause(EVERY, stopping.signal);
    }
  })();
  const megabytes = (bytes: number): number => Math.round(bytes / MEGABYTE);
  return {
    dead,
    maxResident: () => Math.max(0, ...[...largest.values()].map(({ bytes }) => megabytes(bytes))),
    summary: () => [...largest.values()].map(({ words, bytes }) => `${words} ${megabytes(bytes)} MB`).join(', '),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
