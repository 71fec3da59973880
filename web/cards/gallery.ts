/** The pictures that were asked for last, each made once. */
import type { Painter } from './paint.ts';

/** Some 30 kB each. */
const MOST_KEPT = 256;

/** @returns the PNG of a drawing, kept by what it is a hash of; who asks for one that is being made waits for it */
export function gallery({ paint }: Pick<Painter, 'paint'>, mostKept = MOST_KEPT) {
  const kept = new Map<string, Promise<Uint8Array>>();
  return (tag: string, svg: string): Promise<Uint8Array> => {
    const picture = kept.get(tag) ?? paint(svg);
    // The newest stand last, so the first is the one that nobody asked for the longest.
    kept.delete(tag);
    kept.set(tag, picture);
    for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest);
    picture.catch(() => kept.get(tag) === picture && kept.delete(tag));
    return picture;
  };
}
