/** Keeps what every reader of a page sees for a while, so that many readers cost what one does. */

/**
 * @param seconds how long it is kept
 * @param load runs once for all who ask meanwhile; what fails is not kept
 * @param isWorthIt whether a value is kept at all: an empty record fills within seconds
 */
export function remember<Value>(
  seconds: number,
  now: () => Date,
  load: () => Promise<Value>,
  isWorthIt: (value: Value) => boolean = () => true,
): () => Promise<Value> {
  let kept: { readonly value: Promise<Value>; readonly until: number } | undefined;
  return () => {
    const at = now().getTime();
    const left = kept ? kept.until - at : 0;
    // More than was given is left when the clock was set back.
    if (!kept || left <= 0 || left > seconds * 1_000) {
      const value = load();
      const fresh = { value, until: at + seconds * 1_000 };
      kept = fresh;
      const forget = (): void => {
        if (kept === fresh) kept = undefined;
      };
      value.then((loaded) => isWorthIt(loaded) || forget(), forget);
    }
    return kept.value;
  };
}
