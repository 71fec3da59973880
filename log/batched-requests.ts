/** Work for many who ask at the same time, done once. Whoever asks sees nothing older than the moment of asking. */

export interface BatchOptions {
  /** Most keys of a batch. */
  readonly most?: number;
  /** Most batches under way at once. */
  readonly abreast?: number;
}

/**
 * Makes a look-up of single keys out of one of many. What is asked for in one turn of the event loop, or while `abreast`
 * batches are under way, goes together; a key that several ask for goes once.
 * @param load gives a value for each key, in their order; when it throws, all who wait for this batch fail
 */
export function batched<Value>(
  load: (keys: readonly string[]) => Promise<readonly Value[]>,
  { most = 256, abreast = 2 }: BatchOptions = {},
): (key: string) => Promise<Value> {
  const waiting = new Map<string, PromiseWithResolvers<Value>>();
  let under_way = 0;
  let planned = false;

  const run = async (batch: readonly (readonly [string, PromiseWithResolvers<Value>])[]): Promise<void> => {
    try {
      const values = await load(batch.map(([key]) => key));
      for (const [index, [, asked]] of batch.entries()) asked.resolve(values[index] as Value);
    } catch (error) {
      for (const [, asked] of batch) asked.reject(error);
    }
  };

  const start = (): void => {
    planned = false;
    while (waiting.size > 0 && under_way < abreast) {
      const batch = [...waiting].slice(0, most);
      for (const [key] of batch) waiting.delete(key);
      under_way++;
      void run(batch).finally(() => {
        under_way--;
        start();
      });
    }
  };

  return (key) => {
    const asked = waiting.get(key) ?? Promise.withResolvers<Value>();
    waiting.set(key, asked);
    if (!planned && under_way < abreast) {
      planned = true;
      setImmediate(start);
    }
    return asked.promise;
  };
}
