/** The event store under chaos: a server or cluster that the operator's commands control, else the test double. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../harness/free-port.ts';

const run = promisify(execFile);
/** Milliseconds that a command of the environment may take. */
const COMMAND = 120_000;
/** Calls of each kind that the double refuses after a start, as a server that is not ready. */
const NOT_READY = 3;

export interface ChaoticServer {
  readonly url: string;
  /** Its description, for the output. */
  readonly kind: string;
  /** Kills the leader. */
  kill(): Promise<void>;
  /** Restarts the killed leader. */
  start(): Promise<void>;
  /** Pauses the leader for this many milliseconds; null where there is no command for it. */
  readonly pause: ((milliseconds: number) => Promise<void>) | null;
  /** Takes the leader its majority for this many milliseconds; null where there is no command for it. */
  readonly isolate: ((milliseconds: number) => Promise<void>) | null;
  stop(): Promise<void>;
}

const wait = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/**
 * The server or cluster that the commands of the environment control; null where it names none.
 * @throws Error when the settings are incomplete
 */
export function commandedServer(environment: NodeJS.ProcessEnv = process.env): ChaoticServer | null {
  const { EVENTSTORE_URL: url, EVENTSTORE_KILL: kill, EVENTSTORE_START: start } = environment;
  const { EVENTSTORE_PAUSE: pause, EVENTSTORE_RESUME: resume, EVENTSTORE_ISOLATE: isolate } = environment;
  if (!kill && !start) return null;
  if (!url || !kill || !start || !pause !== !resume)
    throw new Error(
      'set EVENTSTORE_URL, EVENTSTORE_KILL and EVENTSTORE_START together, and EVENTSTORE_PAUSE with EVENTSTORE_RESUME',
    );
  const command = async (text: string): Promise<void> => void (await run('sh', ['-c', text], { timeout: COMMAND }));
  const between =
    (before: string | undefined, after: string | undefined) =>
    async (milliseconds: number): Promise<void> => {
      await command(before ?? '');
      await wait(milliseconds);
      await command(after ?? '');
    };
  return {
    url,
    kind: 'the server of EVENTSTORE_URL',
    kill: () => command(kill),
    start: () => command(start),
    pause: pause ? between(pause, resume) : null,
    isolate: isolate ? between(isolate, start) : null,
    stop: async () => undefined,
  };
}

/** @throws Error when the settings are incomplete */
export const startChaoticServer = async (): Promise<ChaoticServer> => commandedServer() ?? (await startDouble());

async function startDouble(): Promise<ChaoticServer> {
  const [folder, port] = [await mkdtemp(join(tmpdir(), 'clarity-chaos-eventstore-')), await freePort()];
  const script = resolve(import.meta.dirname, '../log/double/serve.ts');
  const words = [script, '--port', String(port), '--data', join(folder, 'events')];
  let child: ChildProcess;
  const start = async (more: readonly string[] = []): Promise<void> => {
    child = spawn(process.execPath, [...words, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (child.stdout) await once(child.stdout, 'data');
  };
  const kill = async (): Promise<void> => {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    kind: 'the double, as EVENTSTORE_KILL and EVENTSTORE_START are not set',
    kill,
    start: () => start(['--not-ready', String(NOT_READY)]),
    pause: async (milliseconds) => {
      child.kill('SIGSTOP');
      await wait(milliseconds);
      child.kill('SIGCONT');
    },
    isolate: null,
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
