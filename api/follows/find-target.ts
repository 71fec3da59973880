/** The target of a follow: it must be there. */
import { findSource } from '../../projector/models/source-health-queries.ts';
import { findTheme } from '../../projector/models/themes-queries.ts';
import type { FollowType } from '../../schemas/follow.ts';
import { quoted, Refusal } from '../../schemas/refusal.ts';
import { SignalItem } from '../../schemas/resources.ts';
import { SignalId } from '../../schemas/scalar.ts';
import type { RouteContext } from '../context.ts';
import { findPublicBrand } from '../find-brand.ts';
import { findPublicSignal } from '../find-public-signal.ts';
import type { Target } from './decide.ts';

type Context = Pick<RouteContext, 'database' | 'directory' | 'baseUrl' | 'now'>;

/**
 * Finds it under the slug that it has now, when the one given was retired.
 * @throws Refusal `not_found`
 */
export async function findTarget(context: Context, type: FollowType, slug: string): Promise<Target> {
  const { database, directory, baseUrl, now } = context;
  if (type === 'brand') {
    const found = await findPublicBrand(context, slug);
    if ('redirect' in found) return findTarget(context, type, found.redirect);
    return { type, slug, name: found.brand.name, signal_id: null };
  }
  if (type === 'signal') {
    const found = await findPublicSignal(database, slug);
    if ('redirect' in found) return findTarget(context, type, found.redirect);
    const { id, headline } = SignalItem.pick({ id: true, headline: true }).parse(JSON.parse(found.document));
    return { type, slug, name: headline, signal_id: SignalId.parse(id) };
  }
  if (type === 'theme') {
    const theme = directory.theme(slug) ?? (await findTheme(database, slug, { now: now(), baseUrl }));
    if (theme) return { type, slug, name: theme.name, signal_id: null };
  } else {
    const source = await findSource(database, slug);
    if (source) return { type, slug, name: source.outlet, signal_id: null };
  }
  throw new Refusal('not_found', `No ${type} has the slug ${quoted(slug)}.`);
}
