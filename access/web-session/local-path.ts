/** Where a browser is sent after a form or a sign-in: a page of ours, never another site. Pure. */

const MOST_CHARACTERS = 500;

/** @returns the path with its query; `otherwise` for what leads elsewhere or cannot be read */
export function localPath(given: unknown, otherwise: string): string {
  if (typeof given !== 'string' || given.length > MOST_CHARACTERS || !/^\/(?![/\\])/.test(given)) return otherwise;
  const here = 'http://here.invalid';
  const url = URL.parse(given, here);
  if (!url || url.origin !== here || url.pathname.startsWith('//')) return otherwise;
  return `${url.pathname}${url.search}`;
}
