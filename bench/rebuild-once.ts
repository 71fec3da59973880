/** One rebuild in a process of its own, with what it took. */
import { z } from 'zod';
import { startChild } from './child.ts';

const Sample = z.object({ resident_bytes: z.number() });
const Outcome = z.object({ folding_seconds: z.number(), indexing_seconds: z.number(), peak_bytes: z.number() });
const Line = z.union([Sample, Outcome]);
export type RebuildLine = z.infer<typeof Line>;

export interface Rebuilt {
  /** From the first event to the swap of the readers' views. */
  readonly seconds: number;
  readonly folding_seconds: number;
  readonly indexing_seconds: number;
  readonly peak_bytes: number;
  /** Resident memory every 100 ms. */
  readonly samples: readonly number[];
}

/** Rebuilds a model and swaps it in. */
export async function rebuildOnce(url: string, model: string): Promise<Rebuilt> {
  const child = startChild('rebuild-process.ts', [url, model], Line);
  const samples: number[] = [];
  let outcome: z.infer<typeof Outcome> | undefined;
  for await (const line of child.lines)
    if ('resident_bytes' in line) samples.push(line.resident_bytes);
    else outcome = line;
  await child.ended();
  if (!outcome) throw new Error('the rebuild ended without an outcome');
  return { ...outcome, seconds: outcome.folding_seconds + outcome.indexing_seconds, samples };
}
