/** What a feed or page is built from, and what comes out. */
import type { ListedEntry } from '../desk/desk.ts';
import type { Outlet } from '../outlet.ts';

export interface Edition {
  readonly outlet: Outlet;
  /** Address of the newsroom, without a slash at its end. */
  readonly url: string;
  /** Newest first. */
  readonly entries: readonly ListedEntry[];
  /** The newest date of any entry, so that a feed changes only when its content does. */
  readonly changedAt: Date;
}

export interface Document {
  readonly type: string;
  readonly body: Buffer;
}

export const DEMO_NOTE = 'Demo data: outlet, people and facts are made up. Nothing here happened.';

export const utf8 = (type: string, text: string): Document => ({
  type: `${type}; charset=utf-8`,
  body: Buffer.from(text),
});

/** The address of an article, with the outlet's tracking parameters where it has the habit. */
export function articleAddress({ outlet, url }: Edition, entry: ListedEntry): string {
  const tracking = outlet.habits?.tracking;
  return `${url}${entry.path}${tracking ? `?${tracking}` : ''}`;
}
