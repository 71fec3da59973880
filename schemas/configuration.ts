/** The environment, checked once at start, and the release of the program. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ITEMS, POLLS } from './poll.ts';
import { Flag, WebAddress } from './scalar.ts';
import { STORIES } from './story.ts';

const Package = z.object({ version: z.string() });

/** The version of the release, as `package.json` names it. */
export const VERSION = Package.parse(
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')),
).version;

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

const Port = z.coerce.number({ error: 'it must be a whole number from 0 to 65535' }).int().min(0).max(65_535);

/** The topics that can have a retention of their own. */
const TOPICS = [ITEMS, STORIES, POLLS] as const;
const Days = z.coerce.number({ error: 'days must be a number from 0 to 36500' }).min(0).max(36_500);

/** Days that messages are kept; 0 keeps them whatever their age. */
export interface RetentionDays {
  readonly otherwise: number;
  readonly topics: Readonly<Partial<Record<string, number>>>;
}

/** The days of one topic. */
export const daysOfTopic = ({ otherwise, topics }: RetentionDays, topic: string): number => topics[topic] ?? otherwise;

const RetentionDays = z
  .string()
  .default('90')
  .transform((text, context): RetentionDays => {
    const topics: Record<string, number> = {};
    let otherwise: number | undefined;
    for (const part of list(text)) {
      const [, topic, days] = /^(?:([a-z]+)\s*=\s*)?(.*)$/.exec(part) ?? [];
      const parsed = Days.safeParse(days);
      const isTopic = topic === undefined || (TOPICS as readonly string[]).includes(topic);
      const isTwice = topic === undefined ? otherwise !== undefined : topics[topic] !== undefined;
      if (!parsed.success || !isTopic || isTwice || days === '') {
        const message = `${JSON.stringify(part)} must be days from 0 to 36500, or a topic with its days (${TOPICS.join(', ')}), each once`;
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      }
      if (topic === undefined) otherwise = parsed.data;
      else topics[topic] = parsed.data;
    }
    return { otherwise: otherwise ?? 90, topics };
  });

/** The nodes of one OpenSearch cluster, and what else their addresses say. */
export interface SearchNodes {
  /** Origins. */
  readonly nodes: readonly string[];
  /** First word of the names of indexes. */
  readonly prefix: string;
  readonly user: { readonly username: string; readonly password: string } | null;
}

const wordOf = ({ pathname }: URL): string => pathname.replaceAll('/', '');

/** Reads SEARCH_URL. What one address says of user, password and path is said of all. @param text valid addresses */
export function searchNodes(text: string): SearchNodes {
  const addresses = list(text).map((address) => new URL(address));
  const { username = '', password = '' } = addresses.find((address) => address.username !== '') ?? {};
  return {
    nodes: addresses.map(({ origin }) => origin),
    prefix: addresses.map(wordOf).find((word) => word !== '') ?? 'clarity',
    user: username === '' ? null : { username: decodeURIComponent(username), password: decodeURIComponent(password) },
  };
}

/** What is wrong with the addresses of SEARCH_URL. The message shows none of them: they may have passwords. */
function faultOfSearchUrl(text: string): string | undefined {
  const addresses = list(text).map((address) => (URL.canParse(address) ? new URL(address) : null));
  const place = (index: number): string => (addresses.length > 1 ? `address ${index + 1}` : 'it');
  for (const [index, address] of addresses.entries()) {
    if (!address || !/^https?:$/.test(address.protocol))
      return `${place(index)} must be an http or https address, such as https://opensearch:9200; commas separate nodes, and in a password a comma is written %2C`;
    if (!/^\/?(?:[a-z][a-z0-9]*)?\/?$/.test(address.pathname))
      return `the path of ${place(index)}, if any, must be one word of small letters and digits`;
    if (address.search !== '' || address.hash !== '') return `${place(index)} must have no query and no fragment`;
  }
  const differing = (of: (address: URL) => string): boolean =>
    new Set(addresses.flatMap((address) => (address ? of(address) : '')).filter((value) => value !== '')).size > 1;
  if (addresses.length === 0) return 'it must have an address';
  if (differing(({ protocol }) => protocol)) return 'all addresses must be http, or all https';
  if (differing(({ username, password }) => (username === '' ? '' : `${username}:${password}`)))
    return 'the addresses must have one user and password';
  return differing(wordOf) ? 'the addresses must have one path' : undefined;
}

const SearchUrl = z.string().superRefine((text, context) => {
  const message = faultOfSearchUrl(text);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

function hasCertificates(path: string): boolean {
  try {
    new X509Certificate(readFileSync(path));
    return true;
  } catch {
    return false;
  }
}

/** An amount in US dollars. */
const Dollars = z.coerce.number().min(0).max(100_000);

const Settings = z.object({
  PORT: Port.default(8080).describe('port of the pages, the API and MCP'),
  HOST: z.string().min(1).default('127.0.0.1').describe('address to listen on'),
  BASE_URL: WebAddress.optional().describe('address that readers use; http://localhost:PORT when unset'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('PostgreSQL; an embedded one in DATA_DIR when unset'),
  DATABASE_READ_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('a replica of DATABASE_URL, which the API, MCP and public pages read; DATABASE_URL when unset'),
  DATABASE_DIRECT_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe(
      'the same database past the pooler in transaction mode that DATABASE_URL names; for locks and notifications',
    ),
  DATABASE_POOL: z.coerce
    .number({ error: 'it must be a whole number from 2 to 1000' })
    .int()
    .min(2)
    .max(1_000)
    .optional()
    .describe(
      'connections to DATABASE_URL, and to DATABASE_READ_URL, that this process has at most; 4 to 12 by process when unset',
    ),
  SEARCH_URL: SearchUrl.optional().describe(
    'OpenSearch, for search and filtered lists; PostgreSQL when unset. Nodes are separated by commas; the path is a prefix of index names',
  ),
  SEARCH_USERNAME: z.string().optional().describe('user of OpenSearch, where SEARCH_URL names none'),
  SEARCH_PASSWORD: z.string().optional().describe('password of SEARCH_USERNAME'),
  SEARCH_CA_FILE: z
    .string()
    .refine(hasCertificates, { error: 'it must be a file with certificates in PEM that this process can read' })
    .optional()
    .describe('certificates of the authorities that OpenSearch is trusted by; those of Node when unset'),
  DATA_DIR: z.string().min(1).default('.data').describe('where the embedded PostgreSQL keeps its data'),
  KAFKA_BROKERS: z.string().transform(list).optional().describe('host:9092,host:9092; topics in PostgreSQL when unset'),
  KAFKA_SSL: Flag.describe('TLS to the brokers'),
  KAFKA_SASL: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
    .optional()
    .describe('authentication at the brokers: plain, scram-sha-256 or scram-sha-512; none when unset'),
  KAFKA_USERNAME: z.string().optional().describe('user of KAFKA_SASL'),
  KAFKA_PASSWORD: z.string().optional().describe('password of KAFKA_SASL'),
  KAFKA_PARTITIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(8)
    .describe('partitions of a topic that the service creates'),
  KAFKA_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10)
    .default(1)
    .describe('copies of each partition of a topic that the service creates; 3 on a cluster'),
  TOPIC_RETENTION_DAYS: RetentionDays.describe(
    'days that topics keep messages, 0 for ever: one number for all, then others by topic, such as 90,items=400,polls=14',
  ),
  TOPIC_RETENTION_GB: z.coerce
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe('gigabytes of messages that each topic keeps at most; unset, any number'),
  // No URL: a cluster's hosts are separated by commas. What follows the scheme is read by the adapter.
  EVENTSTORE_URL: z
    .string()
    .regex(/^(esdb|kurrentdb)(\+discover)?:\/\/./, 'must be esdb://… or esdb+discover://…')
    .optional()
    .describe(
      'EventStoreDB 22.10 or later, or KurrentDB: esdb://… or esdb+discover://…; the event store in PostgreSQL when unset',
    ),
  ROSTER: z.string().optional().describe('roster file; the sources of the last run when unset, else the demo newsroom'),
  DEMO_PORT: Port.optional().describe('port of the demo newsroom; 8090 or a free one when unset'),
  CATALOGUE: z.string().default('deploy/catalogue').describe('folder with brands, cities, malls and themes'),
  ALLOW_PRIVATE_SOURCES: Flag.describe(
    'poll sources on private and loopback addresses too, and let readers propose them; metadata services stay refused',
  ),
  OIDC_ISSUER: WebAddress.optional().describe(
    'the issuer whose tokens are accepted, exactly as in its metadata; unset, an embedded one on loopback, and nobody can sign in elsewhere',
  ),
  OIDC_CLIENT_ID: z
    .string()
    .optional()
    .describe('the pages as a client of OIDC_ISSUER; without it nobody can sign in on them'),
  OIDC_CLIENT_SECRET: z.string().optional().describe('the secret of OIDC_CLIENT_ID, if there is one'),
  OPERATORS: z.string().default('').transform(list).describe('e-mail addresses that may review and operate'),
  REVIEWERS: z
    .string()
    .default('')
    .transform(list)
    .describe('e-mail addresses that may review: correct signals, and decide on names of brands'),
  CONTACT: z
    .union([z.email(), WebAddress], { error: 'it must be an e-mail address or an http or https address' })
    .optional()
    .describe(
      'e-mail or web address that every outlet gets in the User-Agent; the first of OPERATORS when unset, else a public BASE_URL',
    ),
  LLM_BASE_URL: WebAddress.optional().describe(
    'a provider of language models with the OpenAI protocol; items and questions are read, and answers written, without a model when unset',
  ),
  LLM_API_KEY: z.string().optional().describe('the key of the provider'),
  LLM_MODEL: z.string().optional().describe('the model of the provider'),
  LLM_READER_MODEL: z
    .string()
    .optional()
    .describe('the model of the provider that reads items and questions, such as a smaller one; LLM_MODEL when unset'),
  LLM_READS: z
    .enum(['off', 'uncertain', 'all'])
    .default('uncertain')
    .describe('items that the model reads: `uncertain` ones, of which the local readers are not sure, `all` or `off`'),
  LLM_TIMEOUT_SECONDS: z.coerce
    .number()
    .positive()
    .max(300)
    .default(20)
    .describe(
      'seconds that the model has for a call that a reader waits for; streams have the answer without it meanwhile',
    ),
  LLM_INPUT_PRICE: Dollars.default(0.5).describe('US dollars a million tokens that the model reads'),
  LLM_OUTPUT_PRICE: Dollars.default(1.5).describe('US dollars a million tokens that the model writes'),
  LLM_BUDGET: Dollars.default(5).describe(
    'US dollars a UTC day, for all processes together; when they are spent items are read and answers written without the model',
  ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('`smtps://user:password@host:465`; nothing is mailed when unset'),
  MAIL_FROM: z.string().optional().describe('sender of mails, such as `Clarity <brief@example.com>`'),
  CONTACT_EMAIL: z.email().optional().describe('address of the operators on the pages of contact and plans'),
  SITE_TEXTS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'folder with `about.md`, `contact.md`, `privacy.md` and `terms.md`, in place of the texts of the service',
    ),
  METRICS_PORT: Port.default(9464).describe('/metrics, /livez and /readyz; 0 for a free one'),
  METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('address on which METRICS_PORT listens'),
  DRAIN_SECONDS: z.coerce
    .number()
    .min(0)
    .max(300)
    .optional()
    .describe(
      'seconds between failing /readyz at SIGTERM and closing the port of readers; 5 when unset, 0 on loopback',
    ),
  CONNECTIONS_PER_CLIENT: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(256)
    .describe('connections that one address may have open at once; not limited behind TRUST_PROXY'),
  PAGE_LIMIT: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(120)
    .describe('pages, feeds and files a minute for one client address or signed-in reader'),
  TRUST_PROXY: z
    .string()
    .optional()
    .describe(
      'addresses or number of the proxies whose X-Forwarded-For is trusted; the address of the socket counts when unset',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .optional()
    .describe('fatal, error, warn, info, debug, trace or silent; info when unset, warn under `up`'),
});

export const Configuration = Settings.superRefine((settings, context) => {
  const { SEARCH_URL: url, SEARCH_USERNAME: username, SEARCH_PASSWORD: password, SEARCH_CA_FILE: file } = settings;
  const refuse = (name: keyof typeof settings, message: string): void =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (username !== undefined && password === undefined)
    refuse('SEARCH_USERNAME', 'SEARCH_PASSWORD must be set with it');
  if (password !== undefined && username === undefined)
    refuse('SEARCH_PASSWORD', 'SEARCH_USERNAME must be set with it');
  if (username !== undefined && url !== undefined && searchNodes(url).user)
    refuse('SEARCH_USERNAME', 'SEARCH_URL has a user already: set one of the two');
  if (file !== undefined && !/^\s*https:/.test(url ?? ''))
    refuse('SEARCH_CA_FILE', 'the addresses of SEARCH_URL must be https');
});
export type Configuration = Omit<z.output<typeof Configuration>, 'BASE_URL'> & { BASE_URL: string };

/** Invalid settings; the message names each one, its value unless it is a secret, and what is allowed. */
class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

const SECRET = /PASSWORD|SECRET|KEY|_URL$|ENDPOINT$/;

/**
 * Reads the configuration from an environment such as `process.env`. An empty value counts as unset.
 * @throws ConfigurationError naming every bad value
 */
export function readConfiguration(environment: Record<string, string | undefined>): Configuration {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Configuration.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      const value = SECRET.test(name) ? 'its value (not shown)' : JSON.stringify(given[name]);
      const meaning = Configuration.shape[name as keyof typeof Configuration.shape]?.description;
      return `${name}: ${value} cannot be used: ${issue.message}${meaning ? ` (${meaning})` : ''}`;
    });
    throw new ConfigurationError(lines.join('\n'));
  }
  const configuration = parsed.data;
  return {
    ...configuration,
    BASE_URL: (configuration.BASE_URL ?? `http://localhost:${configuration.PORT}`).replace(/\/+$/, ''),
  };
}

/** Settings of earlier releases that have no effect since 2.0, one a line. */
export const REMOVED_SETTINGS: readonly string[] = [
  'ARCHIVE_ENDPOINT',
  'ARCHIVE_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_REGION',
  'AWS_SECRET_ACCESS_KEY',
  'CDN_API',
  'CDN_PURGE_KEY',
  'CDN_PURGE_URL',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SDK_DISABLED',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'REBUILD_CHUNK_SECONDS',
  'REBUILD_KEYS_MB',
  'REBUILD_PROCESSES',
  'REBUILD_WORKERS',
  'WEBSUB',
];

/** A sentence for each removed setting that an environment still sets. */
export const removedSettings = (
  environment: Record<string, string | undefined>,
  removed: readonly string[] = REMOVED_SETTINGS,
): string[] => removed.filter((name) => environment[name]).map((name) => `${name} has no effect since 2.0`);

/** The command that starts on the shipped roster, in a record of its own. */
export const GO_LIVE = 'npm start -- --roster india';
