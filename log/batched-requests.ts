/** Combines concurrent look-ups of single keys into batches. A caller never gets a value older than its request. */

export interface BatchOptions {
  /** Maximum keys of a batch. */
  readonly maximum?: number;
  /** Maximum batches in progress at the same time. */
  readonly concurrency?: number;
}

/**
 * Turns a look-up of many keys into one of single keys. Requests of one turn of the event loop, or those that arrive while
 * `concurrency` batches are in progress, share a batch; a key requested several times is loaded once.
 * @param load gives a value for each key, in their order; when it throws, all requests of this batch fail
 */
export function batched<Value>(
  load: (keys: readonly string[]) => Promise<readonly Value[]>,
  { maximum = 256, concurrency = 2 }: BatchOptions = {},
): (key: string) => Promise<Value> {
  const waiting = new Map<string, PromiseWithResolvers<Value>>();
  let inProgress = 0;
  let isScheduled = false;

  const run = async (batch: readonly (readonly [string, PromiseWithResolvers<Value>])[]): Promise<void> => {
    try {
      const values = await load(batch.map(([key]) => key));
      for (const [index, [, request]] of batch.entries()) request.resolve(values[index] as Value);
    } catch (error) {
      for (const [, request] of batch) request.reject(error);
    }
  };

  const start = (): void => {
    isScheduled = false;
    while (waiting.size > 0 && inProgress < concurrency) {
      const batch = [...waiting].slice(0, maximum);
      for (const [key] of batch) waiting.delete(key);
      inProgress++;
      void run(batch).finally(() => {
        inProgress--;
        start();
      });
    }
  };

  return (key) => {
    const request = waiting.get(key) ?? Promise.withResolvers<Value>();
    waiting.set(key, request);
    if (!isScheduled && inProgress < concurrency) {
      isScheduled = true;
      setImmediate(start);
    }
    return request.promise;
  };
}
