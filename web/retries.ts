/** Retries of parked events from a page: a short one is awaited, a long one goes on while the page says so. */
import type { Parked } from '../projector/parked.ts';
import { Refusal } from '../schemas/refusal.ts';
import type { Desk } from './desk.ts';
import { clip } from './text.ts';

/** Milliseconds that a page waits for the outcome. Most retries are done then; building a model anew is not. */
const PATIENCE = 2_000;

/** How the last retry of an event stands: it goes on, or it failed. */
export interface Standing {
  readonly since: Date;
  /** Null while it goes on. */
  readonly error: string | null;
}

export interface Retries {
  /**
   * Begins a retry and waits a moment for it.
   * @throws Refusal when it failed by then, or when another of the same read model goes on
   */
  begin(parked: Parked): Promise<void>;
  /** Null for an event that nobody retried since this process began, or whose retry went well. */
  standing(parked: Pick<Parked, 'model' | 'event_id'>): Standing | null;
  /** True while any goes on. */
  isBusy(): boolean;
}

const keyOf = ({ model, event_id }: Pick<Parked, 'model' | 'event_id'>): string => `${model} ${event_id}`;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @param patience milliseconds that `begin` waits */
export function retries(desk: Pick<Desk, 'retry'>, now: () => Date, patience = PATIENCE): Retries {
  const known = new Map<string, Standing>();
  /** Read models of which a retry goes on: two builds of one would be in each other's way. */
  const busy = new Set<string>();

  async function run(parked: Parked): Promise<string | null> {
    const { model } = parked;
    const since = now();
    busy.add(model);
    known.set(keyOf(parked), { since, error: null });
    let error: string | null;
    try {
      const [outcome] = await desk.retry([parked]);
      error = outcome ? outcome.error : `No read model ${model} is live.`;
    } catch (failure) {
      error = messageOf(failure);
    }
    busy.delete(model);
    if (error === null) known.delete(keyOf(parked));
    else known.set(keyOf(parked), { since, error });
    return error;
  }

  return {
    async begin(parked) {
      const { model } = parked;
      if (busy.has(model))
        throw new Refusal('invalid_request', `Another event of ${model} is being tried. Wait until that is done.`);
      const { promise: enough, resolve } = Promise.withResolvers<null>();
      const timer = setTimeout(resolve, patience, null);
      const error = await Promise.race([run(parked), enough]).finally(() => clearTimeout(timer));
      if (error !== null) throw new Refusal('invalid_request', `${model} still cannot take it: ${clip(error, 300)}`);
    },
    standing: (parked) => known.get(keyOf(parked)) ?? null,
    isBusy: () => busy.size > 0,
  };
}
