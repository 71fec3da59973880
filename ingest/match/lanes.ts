/**
 * Lanes: work that shares a key runs in the order in which it came, never two at once; other work runs side by side.
 * Two stories of one event share a brand or a rare word, so handling them in lanes gives what handling them one by one
 * gives, while the store takes many appends in one go.
 */

export type Lanes = <Result>(keys: readonly number[], work: () => Promise<Result>) => Promise<Result>;

/** @param most pieces of work at once */
export function openLanes(most: number): Lanes {
  const last = new Map<number, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const enter = async (): Promise<void> => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running--;
  };

  return (keys, work) => {
    const before = [...new Set(keys.flatMap((key) => last.get(key) ?? []))];
    const result = Promise.all(before)
      .then(enter)
      .then(() => work().finally(leave));
    // What fails reaches its own caller alone: who waits in the same lane goes on.
    const settled: Promise<unknown> = result.then(
      () => undefined,
      () => undefined,
    );
    for (const key of keys) last.set(key, settled);
    void settled.then(() => {
      for (const key of keys) if (last.get(key) === settled) last.delete(key);
    });
    return result;
  };
}
