/** What commands read from and write to a terminal: tables, lines, questions, progress bars, quoted text. */

import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Presets, SingleBar } from 'cli-progress';
import { UserError } from './errors.ts';

/** What a command does when the reader of its output has gone, as in `clarity sources list | head`. */

/**
 * Drops further output of this process instead of ending it with a stack trace. The work goes on: a command that is
 * changing something must not stop half-way because nobody reads what it prints.
 * @throws any other error of the streams, as an uncaught exception
 */
export function tolerateBrokenPipe(streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

// Asks before a command changes what many rely on.

/**
 * True when the user agrees: by `--yes`, or by answering on a terminal.
 * @throws UserError without a terminal to ask on
 */
export async function confirmed(question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) throw new UserError('nothing was changed; add --yes to do it');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

// A progress bar with rate and time left. On a terminal only: elsewhere nothing, so that logs stay readable.

/** How far long work is. */
interface Advance {
  readonly done: number;
  readonly total: number;
  /** What is done now, such as `folding`. */
  readonly phase: string;
  readonly per_second: number;
  /** Null while nobody can tell. */
  readonly seconds_left: number | null;
}

interface ProgressBar {
  show(advance: Advance): void;
  end(): void;
}

/**
 * @param name stands before the bar
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
  return {
    show({ done, total, phase, per_second, seconds_left }) {
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

/** Text from sources on a terminal: it can neither move the cursor nor pass for words of this program. */

/** Controls (but for line ends and tabs), and marks that turn the direction of writing round. */
const DANGEROUS = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Shows what a terminal would obey as its code point. */
export const harmless = (text: string): string =>
  text.replace(DANGEROUS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same on one line, at most so many characters long. */
export function oneLine(text: string, most: number): string {
  const line = harmless(text.replace(/\s+/g, ' ').trim());
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Marks every line as quoted. */
export const quoted = (text: string): string =>
  harmless(text)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

/** Prints rows in columns that line up; no cell is cut. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  process.stdout.write(`${[header, ...rows].map(line).join('\n')}\n`);
}

/** Writes lines to standard output as fast as the reader takes them; ends quietly when the reader has gone. */
export async function writeLines(lines: AsyncIterable<string>): Promise<void> {
  const gone = new AbortController();
  process.stdout.once('error', () => gone.abort());
  for await (const line of lines) {
    if (gone.signal.aborted) return;
    if (!process.stdout.write(`${line}\n`))
      await once(process.stdout, 'drain', { signal: gone.signal }).catch(() => undefined);
  }
}
