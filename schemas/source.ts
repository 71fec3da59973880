/**
 * Sources: one feed or page of an outlet each. The roster is the fold of these events. Sources that readers
 * suggested are in streams `proposal-<id>`; the same address is always the same proposal.
 */
import { z } from 'zod';
import { ERASED, ERASED_EMAIL, openEvents, personal } from './personal.ts';
import { prefixedId, StoredWebAddress, trimmedText, WebAddress } from './scalar.ts';

export const SOURCE_KINDS = ['feed', 'html', 'news_sitemap'] as const;
/** What a feed is was three kinds until 2.0, which its content decided all the same. */
const FORMER_FEEDS: ReadonlySet<unknown> = new Set(['rss', 'atom', 'json_feed']);
export const SourceKind = z.preprocess((kind) => (FORMER_FEEDS.has(kind) ? 'feed' : kind), z.enum(SOURCE_KINDS));
export type SourceKind = z.infer<typeof SourceKind>;

/** CSS selectors that find the entries of a listing page and, inside each, its parts. */
export const Selectors = z.strictObject({
  item: z.string().min(1).describe('one entry of the listing'),
  title: z.string().min(1).describe('inside the entry: the headline'),
  link: z.string().min(1).describe('inside the entry: the element whose href is the article').default('a'),
  summary: z.string().min(1).optional().describe('inside the entry: a sentence or two'),
  date: z.string().min(1).optional().describe('inside the entry: text or datetime attribute of the date'),
});
export type Selectors = z.infer<typeof Selectors>;

/** The id of a source, in its stream and its events: never taken for another text. */
export const SourceId = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be kebab-case such as "mint-companies"')
  .max(60)
  .brand<'SourceId'>();
export type SourceId = z.infer<typeof SourceId>;

/** The same in what the service wrote: typed, not checked again. */
export const StoredSourceId = z.string().brand<'SourceId'>();

/** Headers that belong to HTTP itself or to the poller; a source cannot set them. */
const RESERVED_HEADER =
  /^(?:host|connection|content-.*|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|accept-encoding|if-.*|range)$/i;
const SECRET_HEADER = /auth|cookie|token|key|secret|password|session|signature/i;
const MAXIMUM_HEADERS = 20;

/** Request headers by name. What looks like a secret must be a reference, so that no event ever holds one. */
export const SourceHeaders = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const refuse = (name: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [name], message, params: { secret: true } });
  if (Object.keys(headers).length > MAXIMUM_HEADERS) refuse('', `must be at most ${MAXIMUM_HEADERS}`);
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name)) refuse(name, 'must be the name of a header');
    else if (RESERVED_HEADER.test(name)) refuse(name, 'is a header that the poller sets itself');
    else if (!/^[\x20-\x7e]{1,2000}$/.test(value)) refuse(name, 'must be printable ASCII, at most 2000 characters');
    else if (SECRET_HEADER.test(name) && !/\$\{SOURCE_[A-Z0-9_]{1,80}\}/.test(value))
      refuse(name, `must take its secret from the environment, such as "Bearer \${SOURCE_MINT_TOKEN}"`);
  }
});

/** One entry of a roster file, and the state of a source. */
export const Source = z.strictObject({
  id: SourceId,
  outlet: z.string().min(1).max(120).describe('the publisher, as readers know it'),
  url: WebAddress.describe('a secret belongs into a header, such as Authorization, that takes it from the environment'),
  kind: SourceKind.default('feed').describe('feed reads RSS, Atom, RDF and JSON Feed'),
  role: z.enum(['news', 'oracle']).default('news').describe('an oracle source makes no signals, it checks coverage'),
  authority: z.number().min(0).max(1).default(0.5).describe('how much its text is preferred, 0 to 1'),
  language: z
    .string()
    .regex(/^[a-z]{2}$/, 'must be two small letters such as en or hi')
    .default('en'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be two capital letters such as IN')
    .optional()
    .describe('where the outlet publishes, ISO 3166-1'),
  themes: z.array(z.string()).default([]),
  cadence_seconds: z.int().min(1).max(86_400).optional().describe('a fixed time between polls; unset, it is learnt'),
  backlog_days: z
    .int()
    .min(0)
    .max(3650)
    .default(0)
    .describe('items of the first poll that are at most so old count as seen on their own date, not as resurfaced'),
  articles: z
    .enum(['when_needed', 'never'])
    .default('when_needed')
    .describe(
      'when_needed fetches the article of an item that comes without a date or a summary; never takes it as it comes',
    ),
  selectors: Selectors.optional(),
  headers: SourceHeaders.optional().describe(`request headers; \${SOURCE_…} is replaced by a setting of the poller`),
  paused: z.boolean().default(false),
});
export type Source = z.infer<typeof Source>;

/** Who changed the roster, and why. */
export const Author = z.object({ by: z.string().min(1), why: z.string() });

const StoredSource = Source.extend({ url: StoredWebAddress });

export const SourceEvents = openEvents({
  SourceAdded: { 1: Author.extend({ source: StoredSource }) },
  SourceChanged: { 1: Author.extend({ source: StoredSource }) },
  SourceMoved: { 1: Author.extend({ source_id: SourceId, from: StoredWebAddress, to: StoredWebAddress }) },
  SourceRetired: { 1: Author.extend({ source_id: SourceId }) },
} as const);

export const sourceStream = (id: SourceId): string => `source-${id}`;
export const SOURCE_PREFIX = 'source-';

export const ProposalId = z.string().regex(/^prp_[0-9a-f]{16}$/, 'must be prp_ and 16 hexadecimal characters');

const Decided = z.object({
  proposal_id: ProposalId,
  by: z.string().min(1),
  why: personal(z.string(), 'address', ERASED),
});

export const ProposalEvents = {
  ProposalSubmitted: {
    1: z.object({
      proposal_id: ProposalId,
      /** Canonical. */
      url: StoredWebAddress,
      outlet: personal(z.string().nullable(), 'email', ERASED),
      reason: personal(z.string().nullable(), 'email', ERASED),
      /** Where the proposer may be asked; never shown to readers. */
      email: personal(z.string().nullable(), 'email', ERASED_EMAIL),
    }),
  },
  ProposalAccepted: { 1: Decided.extend({ source_id: SourceId }) },
  ProposalRejected: { 1: Decided },
} as const;

/** The id of the proposal of a source. @param canonicalUrl the address without parts that do not distinguish sources */
export const proposalId = (canonicalUrl: string): string => prefixedId('prp', canonicalUrl);
export const proposalStream = (id: string): string => `proposal-${id}`;
export const PROPOSAL_PREFIX = 'proposal-';

export const ProposeBody = z.strictObject({
  url: WebAddress.describe('an http or https address of at most 2,048 characters, without a user or a password'),
  outlet: trimmedText(1, 120).optional().describe('the publisher, 1 to 120 characters'),
  reason: trimmedText(1, 1_000).optional().describe('why it matters, 1 to 1,000 characters'),
  email: z.email().max(320).optional().describe('an e-mail address where we may ask'),
});
export type ProposeBody = z.infer<typeof ProposeBody>;

export const PROPOSAL_STATUSES = ['pending', 'listed', 'rejected'] as const;
export const ProposalAnswer = z.object({
  proposal: z.object({
    id: ProposalId,
    url: z.string(),
    status: z.enum(PROPOSAL_STATUSES).describe('listed: the roster has it already'),
  }),
});
