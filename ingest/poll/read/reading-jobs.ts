/**
 * The jobs that read text from outlets, as functions of plain data: they run in child processes (`page-reader.ts`), since
 * no limit on hostile text is complete.
 */
import { serveJobs } from '../../../log/child-jobs.ts';
import type { Source } from '../../../schemas/source.ts';
import { decodeBody } from '../fetch/decode-body.ts';
import type { Page } from '../fetch/fetch-page.ts';
import { checkRobots, type RobotsVerdict, selectOwnRules } from '../fetch/robots.ts';
import { judgeEntries, readItems } from '../normalise/read-items.ts';
import { PollError } from '../poll-error.ts';
import { type Entry, type Reading, resolveAddress } from './entry.ts';
import { type FeedHead, readFeedHead } from './feed-head.ts';
import { type Article, readArticle } from './read-article.ts';
import { readFeed, readJsonFeed, readNewsSitemap } from './read-feed.ts';
import { type FeedLink, findFeedLinks, readListing } from './read-listing.ts';

/**
 * Reads the entries of a fetched page.
 * @throws PollError
 */
export async function readPage(
  page: Pick<Page, 'url' | 'headers' | 'body'>,
  source: Pick<Source, 'kind' | 'selectors'>,
): Promise<Reading> {
  const { text, encoding } = decodeBody(page.body, page.headers['content-type']);
  if (text.trim() === '') throw new PollError('empty', 'the response is empty');
  try {
    const base = resolveAddress(page.headers['content-location'], page.url) ?? page.url;
    return { ...(await read(text, base, source)), encoding };
  } catch (error) {
    if (error instanceof PollError) throw error;
    // A page that no reader expects fails its own poll, and no other.
    throw new PollError('unreadable', `the page cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

async function read(
  text: string,
  url: string,
  { kind, selectors }: Pick<Source, 'kind' | 'selectors'>,
): Promise<Reading> {
  switch (kind) {
    case 'html':
      if (!selectors) throw new PollError('no_selectors', 'a source of kind html needs selectors in the roster');
      return readListing(text, url, selectors);
    case 'news_sitemap':
      return readNewsSitemap(text, url);
    case 'feed':
      return /^\s*[{[]/.test(text) ? readJsonFeed(text, url) : readFeed(text, url);
  }
}

/** What reading needs of a fetched page. */
type ReadablePage = Pick<Page, 'url' | 'headers' | 'body'>;

interface PageReading extends Reading {
  /** What a feed states about itself; null for web pages. */
  readonly head: FeedHead | null;
}

interface Entries {
  readonly entries: readonly Entry[];
  /** The page that they came from. */
  readonly base: string;
  readonly now: Date;
}

/** Each job takes one input and gives one result, both of data that can be sent between processes. They throw PollError. */
export const READING_JOBS = {
  /** The entries of a page, by the kind of its source, and what the feed says about itself. */
  readPage: async ({
    page,
    source,
  }: {
    page: ReadablePage;
    source: Pick<Source, 'kind' | 'selectors'>;
  }): Promise<PageReading> => ({
    ...(await readPage(page, source)),
    head: source.kind === 'html' ? null : readFeedHead(page),
  }),
  /** Items of entries. */
  readItems: ({ entries, base, now }: Entries) => readItems(entries, base, now),
  /** Items of entries, and for each entry that gives none why. */
  judgeEntries: ({ entries, base, now }: Entries) => judgeEntries(entries, base, now),
  /** What an article's page says. */
  readArticle: ({ page, title }: { page: ReadablePage; title: string }): Article =>
    readArticle(decodeBody(page.body, page.headers['content-type']).text, page.url, title),
  /** The feeds that a web page names. */
  namedFeeds: ({ page }: { page: ReadablePage }): FeedLink[] => findFeedLinks(page),
  /** The rules of a robots.txt for this service, as text that can be cached. */
  readRobots: ({ page, product }: { page: ReadablePage; product: string }): string =>
    selectOwnRules(decodeBody(page.body, page.headers['content-type']).text, product),
  /** Whether such rules allow an address. */
  checkRobots: (question: Parameters<typeof checkRobots>[0]): RobotsVerdict => checkRobots(question),
};

type ReadingJobs = typeof READING_JOBS;
export type JobName = keyof ReadingJobs;
export type JobInput<Name extends JobName> = Parameters<ReadingJobs[Name]>[0];
export type JobResult<Name extends JobName> = Awaited<ReturnType<ReadingJobs[Name]>>;

/** What the process is sent. */
export interface JobMessage {
  readonly job: JobName;
  readonly input: unknown;
}

/** What the process sends: the result of a job, or why there is none. */
export type JobOutcome =
  | { readonly result: unknown }
  | {
      readonly failed: {
        readonly code: string;
        readonly message: string;
        readonly status: number | null;
        readonly retryAt: Date | null;
      };
    };

async function run({ job, input }: JobMessage): Promise<JobOutcome> {
  try {
    // The sender is typed by the same table.
    const work = READING_JOBS[job] as (input: unknown) => unknown;
    return { result: await work(withBuffer(input)) };
  } catch (error) {
    if (error instanceof PollError) {
      const { code, message, status, retryAt } = error;
      return { failed: { code, message, status, retryAt } };
    }
    const message = `the page cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { failed: { code: 'unreadable', message: message.slice(0, 500), status: null, retryAt: null } };
  }
}

/** Bodies arrive as plain bytes. */
function withBuffer(input: unknown): unknown {
  const { page } = input as Partial<JobInput<'readPage'>>;
  if (!page) return input;
  const { buffer, byteOffset, byteLength } = page.body;
  return { ...(input as object), page: { ...page, body: Buffer.from(buffer, byteOffset, byteLength) } };
}

if (import.meta.main) await serveJobs(async () => run);
