/** Which rows hang together: an event that touches several rows, such as a merge, carries one into the other. */
export class Links {
  readonly #neighbours = new Map<string, Set<string>>();

  /** Takes in the keys of one event. */
  add(keys: readonly string[]): void {
    const [first, ...others] = keys;
    if (first === undefined) return;
    for (const other of others) {
      this.#of(first).add(other);
      this.#of(other).add(first);
    }
  }

  /** These keys and all that any event ties to them, over any number of steps. */
  reach(keys: Iterable<string>): Set<string> {
    const reached = new Set(keys);
    // A set is walked in the order of insertion, and what is added on the way is walked as well.
    for (const key of reached) for (const next of this.#neighbours.get(key) ?? []) reached.add(next);
    return reached;
  }

  #of(key: string): Set<string> {
    const found = this.#neighbours.get(key) ?? new Set<string>();
    this.#neighbours.set(key, found);
    return found;
  }
}
