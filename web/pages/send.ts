/** GET /send: chosen stories as one page that others can open, as text for a messenger, and as a mail. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { formatDay } from '../../language/days.ts';
import { formatCount } from '../../language/prose.ts';
import type { Markup } from '../../presentation/markup.ts';
import { neutralise, parseDocument } from '../../presentation/text.ts';
import { findSignal } from '../../projector/models/signals-queries.ts';
import { teamListsOf } from '../../projector/models/team-lists-queries.ts';
import { reportedAt, SignalText } from '../../schemas/resources.ts';
import { SignalIdText, Slug } from '../../schemas/scalar.ts';
import { rankedList } from '../feed.ts';
import { withoutDeadLinks } from '../feed-page.ts';
import { readQuery, shareButton } from '../forms.ts';
import { showPage } from '../layout.ts';
import { excerpt, subject } from '../parts.ts';
import type { Site } from '../site.ts';
import { addPart } from './team-lists-view.ts';

/** As many as a page and a message hold. */
const MAXIMUM = 25;
const Query = z.object({
  s: z
    .string()
    .max(8_000)
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(z.union([Slug, SignalIdText])).max(MAXIMUM))
    .describe(`slugs or ids of at most ${MAXIMUM} signals, separated by commas`)
    .optional(),
});

/** What a merged signal became is sent in its place; what left the record is left out. */
export async function loadStory({ database }: Pick<Site, 'database'>, slugOrId: string): Promise<SignalText[]> {
  const signal = await findSignal(database, slugOrId);
  if (!signal) return [];
  if ('redirect' in signal) return loadStory({ database }, signal.redirect);
  return [parseDocument(signal.document, SignalText)];
}

const oneLine = (text: string): string => neutralise(text).replace(/\s+/g, ' ').trim();

/** A story in three lines: headline, a sentence, outlet with day and address. */
const storyText = (story: SignalText): string => {
  const { headline, source, outlets, url } = story;
  const [sentence] = [story.summary, story.deck].filter((one) => one && one !== headline);
  const more = outlets > 1 ? ` and ${outlets - 1} more` : '';
  const by = `${oneLine(source.outlet ?? 'Original report')}${more}, ${formatDay(reportedAt(story))}: ${url}`;
  return [oneLine(headline), ...(sentence ? [oneLine(sentence)] : []), by].join('\n');
};

const HOW = html`<p class="empty">No stories are chosen. Choose “Send” on a list, tick stories, and send them from there.</p>`;

function body(stories: readonly SignalText[], link: string, lists: Markup): Markup {
  const count = formatCount(stories.length, 'story', 'stories');
  const text = stories.map(storyText).join('\n\n');
  // Spaces of a mail are %20: some programs show a plus sign as it is.
  const mail = `mailto:?subject=${encodeURIComponent(`${count} from Clarity`)}&body=${encodeURIComponent(`${text}\n\n${link}`)}`;
  return html`${subject(null, count, null, html`<a class="button plain" href="${mail}">Mail</a>${shareButton(count, link)}`)}
    <div class="story-columns"><div class="stories">${rankedList(stories, 'Chosen stories')}</div>
      <div><section class="part" data-copy="text"><h3>As text</h3><pre tabindex="0">${text}</pre></section>${lists}</div></div>`;
}

const titleOf = ([first, ...others]: readonly SignalText[]): string => {
  if (!first) return 'Send stories';
  return others.length === 0 ? `Send: ${excerpt(first.headline, 100)}` : `${others.length + 1} stories`;
};

export function sendPage(server: FastifyInstance, site: Site): void {
  server.get('/send', async (request, reply) => {
    const { s: chosen = [] } = readQuery(Query, request.query);
    const loaded = (await Promise.all(chosen.map((one) => loadStory(site, one)))).flat();
    const stories = await withoutDeadLinks(site, [...new Map(loaded.map((story) => [story.id, story])).values()]);
    const ids = stories.map(({ id }) => id).join(',');
    const path = `/send?s=${ids}`;
    const { reader } = request;
    const lists = addPart(reader, reader ? await teamListsOf(site.database, reader.account.id) : [], ids);
    const [first] = stories;
    return showPage(reply, site, {
      title: titleOf(stories),
      description: first
        ? stories
            .map(({ headline }) => oneLine(headline))
            .join(' · ')
            .slice(0, 300)
        : 'Stories to send.',
      ...(first && { path }),
      body: first ? body(stories, site.baseUrl + path, lists) : html`${subject(null, 'Send stories')}${HOW}`,
    });
  });
}
