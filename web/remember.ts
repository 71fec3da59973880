/** Keeps what every reader of a page sees for a while, so that many readers cost what one does. */

/**
 * @param seconds how long it is kept
 * @param load runs once for all who ask meanwhile; what fails is not kept
 */
export function remember<Value>(seconds: number, now: () => Date, load: () => Promise<Value>): () => Promise<Value> {
  let kept: { readonly value: Promise<Value>; readonly until: number } | undefined;
  return () => {
    const at = now().getTime();
    if (!kept || at >= kept.until) {
      const value = load();
      const fresh = { value, until: at + seconds * 1_000 };
      kept = fresh;
      value.catch(() => {
        if (kept === fresh) kept = undefined;
      });
    }
    return kept.value;
  };
}
