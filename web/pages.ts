/** Every page of the site, as a plugin of the server. `bin` passes in what the pages need. */
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import type { Access } from '../access/access.ts';
import type { EmbeddedIssuer } from '../access/embedded-issuer.ts';
import { type WebSignInSettings, webSessions } from '../access/web-sessions.ts';
import { answerServices } from '../answer/answer-question.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import type { LiveCatalogue } from '../ingest/catalogue/effective-catalogue.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { ErrorPage } from '../presentation/http/error-answers.ts';
import { sharedCache } from '../presentation/http/http-caching.ts';
import { postgresSearch, type SignalSearch } from '../projector/models/search-queries.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { type Directory, directoryOf, type Gazetteer, gazetteerOf } from '../schemas/directory.ts';
import { cardPage } from './cards/paint.ts';
import { registerAssets, renderError } from './layout.ts';
import { aboutPages } from './pages/about.ts';
import { accountPage } from './pages/account.ts';
import { askPage, turnPage } from './pages/ask.ts';
import { brandPage } from './pages/brand.ts';
import { briefPage } from './pages/brief.ts';
import { briefMailPage, unsubscribePage } from './pages/brief-mail.ts';
import { changelogPage } from './pages/changelog.ts';
import { developersPage } from './pages/developers.ts';
import { findPage } from './pages/find.ts';
import { groupPage } from './pages/group.ts';
import { homePage, viewPage } from './pages/home.ts';
import { keysPage, plansPage } from './pages/keys.ts';
import { mapPage } from './pages/map.ts';
import { followPage, myBrandsPage } from './pages/my-brands.ts';
import { accountsPage, applicationsPage, auditPage } from './pages/operate/accounts.ts';
import { operatePage } from './pages/operate/board.ts';
import { cataloguePages } from './pages/operate/catalogue.ts';
import { catalogueEntryPages } from './pages/operate/catalogue-entry.ts';
import { guardOperate } from './pages/operate/operator-page.ts';
import { parkedPage, pipelinePage } from './pages/operate/pipeline.ts';
import { reviewDeskPage, reviewPage } from './pages/operate/review.ts';
import { operatedSourcePage } from './pages/operate/source.ts';
import { addSourcePage, operatedSourcesPage, proposalsPage } from './pages/operate/sources.ts';
import { peoplePage } from './pages/people.ts';
import { cityPage, mallPage } from './pages/places.ts';
import { correctionsPage, qualityPage } from './pages/quality.ts';
import { researchPage } from './pages/research.ts';
import { resultsPage } from './pages/results.ts';
import { searchesPage } from './pages/searches.ts';
import { sendPage } from './pages/send.ts';
import { issuerPage, signInPage, signOutPage } from './pages/sign-in.ts';
import { signalPage } from './pages/signal.ts';
import { mistakePage } from './pages/signal-mistake.ts';
import { indexPage, robotsPage, sitemapPage } from './pages/sitemap.ts';
import { proposePage, sourcesPage } from './pages/sources.ts';
import { tablesPages } from './pages/tables.ts';
import { teamListsPage } from './pages/team-lists.ts';
import { themePage } from './pages/theme.ts';
import { watchPage } from './pages/watch.ts';
import { type Desk, identifyReaders, type Site } from './site.ts';

/** Pages without forms, which shared caches may store: each registers its own address. */
const recordPages: readonly ((server: FastifyInstance, site: Site) => void)[] = [
  homePage,
  findPage,
  viewPage,
  signalPage,
  brandPage,
  themePage,
  cityPage,
  mallPage,
  groupPage,
  briefPage,
  watchPage,
  sendPage,
  mapPage,
  peoplePage,
  resultsPage,
  tablesPages,
  indexPage,
  sitemapPage,
  sourcesPage,
  qualityPage,
  correctionsPage,
  proposePage,
  plansPage,
  aboutPages,
  developersPage,
  changelogPage,
  robotsPage,
  cardPage,
];

/** Pages with forms: each registers its address and the addresses of its forms. */
const readerPages: readonly ((server: FastifyInstance, site: Site) => void)[] = [
  signInPage,
  signOutPage,
  accountPage,
  keysPage,
  followPage,
  myBrandsPage,
  searchesPage,
  teamListsPage,
  briefMailPage,
  askPage,
  turnPage,
  researchPage,
  unsubscribePage,
  mistakePage,
];

/** Pages of operators. */
export const operatorPages: readonly ((server: FastifyInstance, site: Site) => void)[] = [
  operatePage,
  applicationsPage,
  accountsPage,
  proposalsPage,
  operatedSourcesPage,
  operatedSourcePage,
  addSourcePage,
  reviewDeskPage,
  reviewPage,
  cataloguePages,
  catalogueEntryPages,
  parkedPage,
  auditPage,
  pipelinePage,
];

/** Pages whose addresses end in a slug, which has no capital letters. */
const NAMED_PAGE = /^\/(?:brand|theme|city|mall|group)\/[^/?]*[A-Z]/;

/** The pages of names are found in any letter case: 301 to the address in lower case. */
function lowerCaseAddresses(server: FastifyInstance, { baseUrl }: Pick<Site, 'baseUrl'>): void {
  server.addHook('onRequest', async ({ method, url }, reply) => {
    if (method !== 'GET' || !NAMED_PAGE.test(url)) return;
    const [path = '', ...query] = url.split('?');
    return reply.redirect([`${baseUrl}${path.toLowerCase()}`, ...query].join('?'), 301);
  });
}

interface PagesOptions {
  readonly database: Database;
  /** The database of pages that only read, such as a replica; `database` by default. */
  readonly readers?: Database;
  /** Search and filtered lists; by default those of the databases. */
  readonly search?: SignalSearch | undefined;
  readonly store: EventStore;
  readonly access: Pick<Access, 'authorise' | 'chargePage'>;
  /** Brands and themes by name; by default only those that stories mention are known. */
  readonly directory?: Directory;
  /** The catalogue in use, for the desk that changes it; null where a process has none. */
  readonly catalogue?: LiveCatalogue | null;
  /** Cities, malls, companies and groups of the catalogue; none by default. */
  readonly gazetteer?: Gazetteer;
  readonly configuration: WebSignInSettings &
    Partial<Pick<Configuration, 'SMTP_URL' | 'ALLOW_PRIVATE_SOURCES' | 'CONTACT_EMAIL' | 'SITE_TEXTS'>>;
  /** True while the service reads the demo newsroom. A function is called for each page. */
  readonly demo: boolean | (() => boolean);
  readonly now?: () => Date;
  /** The embedded issuer, whose pages are served here; null with another issuer or without sign-in. */
  readonly issuer?: EmbeddedIssuer | null;
  /** Answers questions and composes briefings; by default without the names of a catalogue. */
  readonly answers?: AskServices & ResearchServices;
  /** Fetches and retries for operators; their pages say so where it is missing. */
  readonly desk?: Desk | null;
  /** Returns the OpenAPI document of the API, which the developers' pages show. */
  readonly describeApi: () => unknown;
}

/** The options of `buildServer` that serve the pages: `buildServer({ …, ...pages({ … }) })`. */
export function sitePages(options: PagesOptions): { surfaces: readonly FastifyPluginCallback[]; errorPage: ErrorPage } {
  const { database, store, access, configuration, demo, describeApi, now = () => new Date() } = options;
  const { issuer = null, desk = null, catalogue = null, readers: replica = database } = options;
  const { BASE_URL: baseUrl } = configuration;
  const { authorise } = access;
  const directory = options.directory ?? directoryOf({ brands: [], themes: [] });
  const gazetteer = options.gazetteer ?? gazetteerOf({ brands: [], groups: [], cities: [], malls: [] });
  const site: Site = {
    database,
    store,
    directory,
    gazetteer,
    authorise,
    now,
    desk,
    catalogue,
    describeApi,
    search: options.search ?? postgresSearch(database),
    get demo() {
      return typeof demo === 'function' ? demo() : demo;
    },
    baseUrl,
    answers: options.answers ?? answerServices({ database, store, baseUrl, now }),
    sessions: webSessions(database, configuration, now),
    privateSources: configuration.ALLOW_PRIVATE_SOURCES ?? false,
    mails: configuration.SMTP_URL !== undefined,
    contact: configuration.CONTACT_EMAIL ?? null,
    texts: configuration.SITE_TEXTS ?? null,
  };
  // Not a copy: `demo` is read for each page.
  const recordSite: Site = Object.create(site, {
    database: { value: replica, enumerable: true },
    search: { value: options.search ?? postgresSearch(replica), enumerable: true },
  });
  const surface: FastifyPluginCallback = (server, _options, done) => {
    // The style sheet, the scripts and the icon are not counted against the limit of pages.
    registerAssets(server);
    server.register(async (own) => {
      lowerCaseAddresses(own, site);
      identifyReaders(own, site, access);
      guardOperate(own, site);
      own.register(async (shared) => {
        sharedCache(shared);
        for (const part of recordPages) part(shared, recordSite);
      });
      for (const part of [...readerPages, ...operatorPages]) part(own, site);
      if (issuer) issuerPage(own, site, issuer);
    });
    done();
  };
  return { surfaces: [surface], errorPage: (answer) => renderError(site, answer) };
}
