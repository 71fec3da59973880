/** A progress bar with rate and time left. On a terminal only: elsewhere nothing, so that logs stay readable. */
import { Presets, SingleBar } from 'cli-progress';

/** How far long work is. */
export interface Advance {
  readonly done: number;
  readonly total: number;
  /** What is done now, such as `folding`. */
  readonly phase: string;
  readonly per_second: number;
  /** Null while nobody can tell. */
  readonly seconds_left: number | null;
}

export interface ProgressBar {
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
