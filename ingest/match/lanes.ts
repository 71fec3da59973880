/**
 * Lanes: work that meets other work runs behind it, in the order in which it came; all else runs side by side. Handling
 * stories so gives what handling them one by one gives, while the store takes many appends in one go.
 */

export interface Lane {
  /** Work that shares none of them does not meet. */
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

/**
 * @param most pieces of work at once, with those that wait in a lane
 * @param meets whether two that share a key have to keep their order
 */
export function openLanes<About extends Lane>(
  most: number,
  meets: (one: About, other: About) => boolean,
): Lanes<About> {
  const running = new Map<number, Set<Running<About>>>();
  const waiting: (() => void)[] = [];
  let entered = 0;

  const enter = async (): Promise<void> => {
    if (entered >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else entered++;
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else entered--;
  };
  const before = (about: About): Promise<unknown>[] => {
    const near = new Set(about.keys.flatMap((key) => [...(running.get(key) ?? [])]));
    return [...near].filter((other) => meets(about, other.about)).map(({ ended }) => ended);
  };
  const add = (one: Running<About>): void => {
    for (const key of one.about.keys) {
      const others = running.get(key) ?? new Set();
      others.add(one);
      running.set(key, others);
    }
  };
  const remove = (one: Running<About>): void => {
    for (const key of one.about.keys) {
      const others = running.get(key);
      others?.delete(one);
      if (others?.size === 0) running.delete(key);
    }
  };

  return async (lane, work) => {
    await enter();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let own: Running<About> | undefined;
    try {
      const about = lane();
      const earlier = before(about);
      own = { about, ended };
      add(own);
      // What fails reaches its own caller alone: who waits behind it goes on.
      await Promise.all(earlier);
      return await work(about);
    } finally {
      if (own) remove(own);
      end();
      leave();
    }
  };
}
