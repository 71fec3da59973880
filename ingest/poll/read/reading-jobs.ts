/**
 * What is done to text from outlets, as functions of plain data: they run in a process of its own (`page-reader.ts`),
 * since no bound on hostile text is certain.
 */
import type { Source } from '../../../schemas/source.ts';
import { type FeedHead, readFeedHead } from '../feed-head.ts';
import { decodeBody } from '../fetch/decode.ts';
import type { Page } from '../fetch/fetch-page.ts';
import { checkRobots, ownRules, type RobotsVerdict } from '../fetch/robots-rules.ts';
import { judgeEntries } from '../items/judge-entries.ts';
import { readItems } from '../items/read-items.ts';
import type { Entry, Reading } from './entry.ts';
import { type NamedFeed, namedFeeds } from './named-feeds.ts';
import { type Article, readArticle } from './read-article.ts';
import { readPage } from './read-page.ts';

/** What reading needs of a fetched page. */
export type ReadablePage = Pick<Page, 'url' | 'headers' | 'body'>;

export interface PageReading extends Reading {
  /** What a feed says about itself; null for web pages. */
  readonly head: FeedHead | null;
}

interface Entries {
  readonly entries: readonly Entry[];
  /** The page that they came from. */
  readonly base: string;
  readonly now: Date;
}

/** Each takes one input and gives one result, both of data that can be sent between processes. They throw PollError. */
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
  namedFeeds: ({ page }: { page: ReadablePage }): NamedFeed[] => namedFeeds(page),
  /** What a robots.txt says to us, as text that can be kept. */
  readRobots: ({ page, product }: { page: ReadablePage; product: string }): string =>
    ownRules(decodeBody(page.body, page.headers['content-type']).text, product),
  /** What such a text says about an address. */
  checkRobots: (question: Parameters<typeof checkRobots>[0]): RobotsVerdict => checkRobots(question),
};

export type ReadingJobs = typeof READING_JOBS;
export type JobName = keyof ReadingJobs;
export type JobInput<Name extends JobName> = Parameters<ReadingJobs[Name]>[0];
export type JobResult<Name extends JobName> = Awaited<ReturnType<ReadingJobs[Name]>>;
