/** What would become of an item: the verdict of understanding, and what its date and source mean for it. */
import type { FoundItem } from '../../../ingest/poll/items/read-items.ts';
import type { PreparedCatalogue } from '../../../ingest/understand/catalogue.ts';
import { understand } from '../../../ingest/understand/understand.ts';
import type { Source } from '../../../schemas/source.ts';
import { oneLine } from '../../quote.ts';

export interface Becoming {
  readonly fate: 'signal' | 'held' | 'old news' | 'noise' | 'checks coverage';
  readonly why: string;
  readonly move: string;
  readonly brands: readonly string[];
}

/** An item whose own date is longer before it was first seen makes no public signal (decisions: resurfaced). */
const OLD = 7 * 86_400_000;

/** @param now when it is first seen, if it were polled now */
export function becoming(
  catalogue: PreparedCatalogue,
  { outlet, role }: Pick<Source, 'outlet' | 'role'>,
  now: Date,
): (item: FoundItem) => Becoming {
  return (item) => {
    const published_at = item.published_at?.toISOString() ?? null;
    const { relevant, reason, understanding } = understand({ ...item, outlet, published_at }, catalogue);
    const { move, brands, cities } = understanding;
    const names = brands.map(({ name }) => name);
    const found = oneLine([move, ...names, ...cities].join(', '), 200);
    const as = (fate: Becoming['fate'], why: string): Becoming => ({ fate, why, move, brands: names });
    if (!relevant) return as('noise', reason);
    if (role === 'oracle') return as('checks coverage', found);
    if (!item.published_at) return as('held', `it has no date; ${found}`);
    if (now.getTime() - item.published_at.getTime() > OLD) return as('old news', `more than 7 days old; ${found}`);
    return as('signal', found);
  };
}
