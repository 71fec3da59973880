/**
 * Lanes: work that can affect other work runs after it, in the order of arrival; all other work runs at the same time. Handling
 * stories so gives what handling them one by one gives, while the store takes many appends in one go.
 */

export interface Lane {
  /** Work that shares none of them runs at the same time. */
  readonly keys: readonly number[];
}

/** @throws what `lane` throws when its turn comes, or `work` */
export type Lanes<About extends Lane> = <Result>(
  lane: () => About,
  work: (about: About) => Promise<Result>,
) => Promise<Result>;

interface Running<About> {
  readonly about: About;
  readonly ended: Promise<unknown>;
}

/** The work that runs or waits, by its keys. */
class RunningWork<About extends Lane> {
  readonly #byKey = new Map<number, Set<Running<About>>>();

  add(one: Running<About>): void {
    for (const key of one.about.keys) {
      const others = this.#byKey.get(key) ?? new Set();
      others.add(one);
      this.#byKey.set(key, others);
    }
  }

  remove(one: Running<About>): void {
    for (const key of one.about.keys) {
      const others = this.#byKey.get(key);
      others?.delete(one);
      if (others?.size === 0) this.#byKey.delete(key);
    }
  }

  sharing(keys: readonly number[]): Running<About>[] {
    return [...new Set(keys.flatMap((key) => [...(this.#byKey.get(key) ?? [])]))];
  }
}

/**
 * @param limit maximum of pieces of work at once, with those that wait in a lane
 * @param keepOrder whether two that share a key have to keep their order
 */
export function openLanes<About extends Lane>(
  limit: number,
  keepOrder: (one: About, other: About) => boolean,
): Lanes<About> {
  const running = new RunningWork<About>();
  const waiting: (() => void)[] = [];
  let entered = 0;

  const enter = async (): Promise<void> => {
    if (entered >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else entered++;
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else entered--;
  };

  return async (lane, work) => {
    await enter();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let own: Running<About> | undefined;
    try {
      const about = lane();
      const earlier = running.sharing(about.keys).filter((other) => keepOrder(about, other.about));
      own = { about, ended };
      running.add(own);
      // An error reaches only its own caller: the work that waits for it continues.
      await Promise.all(earlier.map((one) => one.ended));
      return await work(about);
    } finally {
      if (own) running.remove(own);
      end();
      leave();
    }
  };
}
