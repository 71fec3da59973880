/** What commands read from and write to a terminal: tables, lines, questions, progress bars. */
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Presets, SingleBar } from 'cli-progress';
import { tableText } from '../operations/terminal-text.ts';
import { UserError } from './errors.ts';

/**
 * Drops further output when its reader has ended, as in `clarity sources list | head`, instead of ending the process with a
 * stack trace. The work continues: a command must not stop half-way because its output is not read.
 * @throws any other error of the streams, as an uncaught exception
 */
export function tolerateBrokenPipe(streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

/**
 * Asks for confirmation: true for `--yes`, or when the user agrees on a terminal.
 * @throws UserError without a terminal to ask on
 */
export async function confirmed(question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) throw new UserError('nothing was changed; add --yes to confirm');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** Progress of long work. */
interface Advance {
  readonly done: number;
  readonly total: number;
  /** The current phase, such as `folding`. */
  readonly phase: string;
  readonly per_second: number;
  /** Null while unknown. */
  readonly seconds_left: number | null;
}

export interface ProgressBar {
  show(advance: Advance): void;
  /** The same with the rate and the time left of each phase by itself. */
  at(phase: string, done: number, total: number): void;
  end(): void;
}

/**
 * A progress bar with rate and time left; prints nothing where standard error is not a terminal.
 * @param name label before the bar
 * @param unit what is counted, such as `events`
 * @param quiet shows nothing at all
 */
export function progressBar(name: string, unit: string, quiet = false): ProgressBar {
  const bar = new SingleBar(
    {
      format: `${name.padEnd(14)} {bar} {percentage}%  {phase}  {rate} ${unit}/s  {left}`,
      stream: process.stderr,
      noTTYOutput: false,
    },
    Presets.shades_classic,
  );
  let started = false;
  let [current, before, advance] = ['', 0, pace()];
  function show({ done, total, phase, per_second, seconds_left }: Advance): void {
    if (quiet) return;
    const payload = {
      phase,
      rate: Math.round(per_second).toLocaleString('en-IN'),
      left: seconds_left === null ? '' : `${Math.ceil(seconds_left)} s left`,
    };
    if (!started) bar.start(Math.max(1, total), 0, payload);
    started = true;
    bar.setTotal(Math.max(1, total));
    bar.update(done, payload);
  }
  return {
    show,
    at(phase, done, total) {
      if (phase !== current || done < before) advance = pace();
      [current, before] = [phase, done];
      show({ ...advance(done, total), phase });
    },
    end() {
      if (started) bar.stop();
    },
  };
}

/** Turns counts into a rate and the time left. @param clock milliseconds that only grow */
export function pace(
  clock: () => number = () => performance.now(),
): (done: number, total: number) => Omit<Advance, 'phase'> {
  const started = clock();
  return (done, total) => {
    const seconds = Math.max(0.001, (clock() - started) / 1000);
    return {
      done,
      total,
      per_second: done / seconds,
      seconds_left: done > 0 ? (seconds * (total - done)) / done : null,
    };
  };
}

/**
 * A secret: that of a setting, else typed on the terminal without echo.
 * @throws UserError without a terminal
 */
export async function askSecret(question: string, setting: string): Promise<string> {
  const set = process.env[setting];
  if (set !== undefined) return set;
  if (!process.stdin.isTTY) throw new UserError(`set ${setting} to the ${question.toLowerCase()}`);
  const terminal = createInterface({ input: process.stdin, terminal: true });
  try {
    process.stderr.write(`${question}: `);
    const secret = await terminal.question('');
    process.stderr.write('\n');
    return secret;
  } finally {
    terminal.close();
  }
}

/** Prints a table with aligned columns; cells are not truncated. */
export const printTable = (header: readonly string[], rows: readonly (readonly string[])[]): void =>
  void process.stdout.write(`${tableText(header, rows)}\n`);

/** Writes lines to standard output as fast as the reader takes them; stops silently when the reader has ended. */
export async function writeLines(lines: AsyncIterable<string>): Promise<void> {
  const ended = new AbortController();
  process.stdout.once('error', () => ended.abort());
  for await (const line of lines) {
    if (ended.signal.aborted) return;
    if (!process.stdout.write(`${line}\n`))
      // Aborted by an error of the output, for example a closed pipe: the loop ends.
      await once(process.stdout, 'drain', { signal: ended.signal }).catch(() => undefined);
  }
}

/** Prints a warning of a command that goes on; its results on standard output stay clean. */
export const warnOnStderr = (message: string): void => void process.stderr.write(`${message}\n`);

/** Who makes the change when `--by` is not set: the user of the system, by number where it has no name. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry in the password file, as in some containers.
    return String(process.getuid?.() ?? 'unknown');
  }
}
