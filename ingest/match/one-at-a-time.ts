/** A queue of one: work given to it runs in the order in which it came, never two at once. */

/** Makes such a queue. What one piece of work throws reaches its own caller alone. */
export function oneAtATime(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}
