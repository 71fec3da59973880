/** Looks at what was proposed before it is taken in. */
import type { SourceKind } from '../../schemas/source.ts';
import { discoverFeeds } from '../poll/discover-feeds.ts';
import { PollError } from '../poll/poll-error.ts';
import { type TrialContext, trySource } from '../poll/try-source.ts';

export interface Probe {
  /** Of the feed itself, where the proposal named a site. */
  readonly url: string;
  readonly kind: SourceKind;
  /** What the feed calls itself; null where it does not say. */
  readonly title: string | null;
  /** Entries that give items now. */
  readonly items: number;
}

/**
 * Polls the address once; where it is a web page, the first feed that it names.
 * @throws PollError when nothing that can be polled stands there
 */
export async function probe(url: string, context: TrialContext): Promise<Probe> {
  try {
    return await polled(url, context);
  } catch (error) {
    if (!(error instanceof PollError) || error.code !== 'html_instead_of_feed') throw error;
    const [feed] = await discoverFeeds(url, context.fetchPage, context.signal, context.reader);
    if (!feed) throw new PollError('no_feed', 'a web page that names no feed; add it with selectors by sources add');
    return polled(feed.url, context);
  }
}

async function polled(url: string, context: TrialContext): Promise<Probe> {
  const about = {
    id: 'probe',
    outlet: 'probe',
    role: 'news',
    authority: 0,
    language: 'en',
    themes: [],
    backlog_days: 0,
    articles: 'never',
    paused: false,
  } as const;
  const trial = await trySource({ ...about, themes: [], url }, context);
  const items = trial.entries.filter(({ item }) => item).length;
  if (items === 0) throw new PollError('nothing_listed', 'it can be read, but lists no article with title and address');
  return { url: trial.moved_to ?? url, kind: trial.kind, title: trial.title, items };
}
