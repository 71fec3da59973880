/** Ids for sources that come without one. */

/** A kebab-case id made of a name, numbered where it is taken: `mint`, `mint-2`. */
export function freeId(name: string, taken: { has(id: string): boolean }): string {
  const plain =
    name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[\u0300-\u036f'’]/g, '')
      .split(/[^a-z0-9]+/)
      .filter(Boolean)
      .join('-')
      .slice(0, 50)
      .replace(/-$/, '') || 'source';
  for (let number = 1; ; number++) {
    const id = number === 1 ? plain : `${plain}-${number}`;
    if (!taken.has(id)) return id;
  }
}
