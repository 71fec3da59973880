/** Feeds and documents outside /api/v1. */
import type { ErrorCode } from '../../../schemas/resources.ts';
import { JsonFeed } from '../../feeds/json-feed.ts';
import { signalExample } from '../examples.ts';
import type { Answer, Operation } from '../operation.ts';

const RSS = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>Clarity</title></channel></rss>
`;
const ATOM = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Clarity</title></feed>
`;
const SITE = 'https://clarity.example';
const JSON_FEED: JsonFeed = {
  version: 'https://jsonfeed.org/version/1.1',
  title: 'Clarity',
  home_page_url: `${SITE}/`,
  feed_url: `${SITE}/feed.json`,
  description: 'Moves in Indian retail: every one dated and with its source.',
  language: 'en-IN',
  authors: [{ name: 'Clarity' }],
  items: [
    {
      id: signalExample.id,
      url: signalExample.url,
      title: signalExample.headline,
      content_text: 'Kiri Foods opened 40 stores in Pune. Source: Daily Trade and 2 more.',
      date_published: signalExample.published_at,
      tags: ['stores', 'Kiri Foods', 'Pune'],
    },
  ],
};

const FORMS = [
  { ending: 'rss', name: 'RSS', type: 'application/rss+xml', example: RSS },
  { ending: 'atom', name: 'Atom', type: 'application/atom+xml', example: ATOM },
  {
    ending: 'json',
    name: 'JSON Feed',
    type: 'application/feed+json',
    example: { schema: JsonFeed, example: JSON_FEED },
  },
] as const;

/** Of what is limited as pages are. */
const LIMITED: readonly ErrorCode[] = ['invalid_request', 'rate_limited'];

const PLACES = [
  { path: '', of: '', what: 'the whole record' },
  { path: '/brand/{slug}', of: 'Brand', what: 'one brand' },
  { path: '/theme/{slug}', of: 'Theme', what: 'one theme' },
] as const;

const retired: Record<number, Answer> = {
  301: { description: 'The slug was retired.', headers: { Location: 'Address of the successor' } },
};

const feeds: Operation[] = PLACES.flatMap(({ path, of, what }) =>
  FORMS.map(
    ({ ending, name, type, example }): Operation => ({
      method: 'get',
      path: `${path}/feed.${ending}`,
      id: `get${of}Feed${ending[0]?.toUpperCase()}${ending.slice(1)}`,
      tag: 'Feeds',
      summary: `The 50 latest moves of ${what} as ${name}`,
      description: 'Parameters that begin with `utm_` are ignored. Every site may read it.',
      access: 'anonymous',
      isLimited: false,
      ...(of
        ? { pathParameters: { slug: { description: `Slug of the ${of.toLowerCase()}`, example: 'kiri-foods' } } }
        : {}),
      answers: { 200: { description: 'The feed.', others: { [type]: example } }, ...(of === 'Brand' ? retired : {}) },
      errors: of ? [...LIMITED, 'not_found'] : LIMITED,
    }),
  ),
);

export const DOCUMENT_OPERATIONS: readonly Operation[] = [
  ...feeds,
  {
    method: 'get',
    path: '/.well-known/openapi.yaml',
    id: 'getDescription',
    tag: 'Documents',
    summary: 'This description',
    description: 'The same wherever the service runs: its addresses begin at the root of the server.',
    access: 'anonymous',
    isLimited: false,
    answers: { 200: { description: 'OpenAPI 3.1.', others: { 'application/yaml': 'openapi: 3.1.1\n' } } },
    errors: ['invalid_request'],
  },
  {
    method: 'get',
    path: '/llms.txt',
    id: 'getGuide',
    tag: 'Documents',
    summary: 'A guide to the service for language models',
    description: 'What the service has, and at which addresses.',
    access: 'anonymous',
    isLimited: false,
    answers: { 200: { description: 'Plain text in Markdown.', others: { 'text/plain': '# Clarity\n' } } },
    errors: LIMITED,
  },
];
