/** Which document an address of the newsroom stands for at a moment. */
import type { Desk } from './desk/desk.ts';
import type { Document, Edition } from './formats/document.ts';
import { publication } from './formats/publication.ts';
import type { Outlet } from './outlet.ts';
import { outletById } from './outlets.ts';
import { articlePage } from './pages/article.ts';
import { frontPage } from './pages/front.ts';
import { listingPage } from './pages/listing.ts';

export type Found = { document: Document; changedAt: Date | null } | { movedTo: string } | null;

/** @param url address of the newsroom, without a slash at its end */
function editionOf(desk: Desk, outlet: Outlet, url: string, now: Date): Edition {
  const entries = desk.listed(outlet.id, now);
  const changedAt = new Date(Math.max(0, ...entries.map((entry) => entry.updatedAt.getTime())));
  return { outlet, url, entries, changedAt };
}

/** @returns null where nothing stands */
export async function route(desk: Desk, url: string, path: string, now: Date): Promise<Found> {
  if (path === '/') return { document: await frontPage(), changedAt: null };
  const [, id = '', file, key, ...rest] = path.split('/');
  const outlet = outletById.get(id);
  if (!outlet) return null;
  if (key === undefined && (file === undefined || file === outlet.file)) {
    const edition = editionOf(desk, outlet, url, now);
    const document = await (file === undefined ? listingPage(edition) : publication(edition));
    return { document, changedAt: edition.changedAt };
  }
  if (file !== 'news' || key === undefined || rest.length > 1) return null;
  const found = desk.find(id, key, now);
  if (!found) return null;
  if (found.entry.path !== path) return { movedTo: `${url}${found.entry.path}` };
  const document = await articlePage(url, outlet, found.entry, found.happening);
  return { document, changedAt: found.entry.updatedAt };
}
