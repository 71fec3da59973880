/** Every page of the site, as a surface of the server. */
import type { FastifyPluginCallback } from 'fastify';
import type { Access } from '../access/access.ts';
import type { EmbeddedIssuer } from '../access/issuer/embedded.ts';
import { webSessions } from '../access/web-session/sessions.ts';
import type { WebSignInSettings } from '../access/web-session/settings.ts';
import type { ErrorPage } from '../api/plugins/error-answers.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { type Directory, directoryOf } from '../schemas/directory.ts';
import { assets } from './assets.ts';
import type { Desk } from './desk.ts';
import { brandPage } from './pages/brand.ts';
import { renderError } from './pages/error.ts';
import { homePage } from './pages/home.ts';
import { issuerPage } from './pages/issuer.ts';
import { plansPage } from './pages/plans.ts';
import { signalPage } from './pages/signal.ts';
import { sourcesPage } from './pages/sources.ts';
import { themePage } from './pages/theme.ts';
import { readerPages } from './reader-pages.ts';
import { readers } from './readers.ts';
import type { Site } from './site.ts';

export interface PagesOptions {
  readonly database: Database;
  readonly store: EventStore;
  readonly access: Pick<Access, 'authorise'>;
  /** Brands and themes by name; unset, they are known by their stories alone. */
  readonly directory?: Directory;
  readonly configuration: WebSignInSettings & Partial<Pick<Configuration, 'SMTP_URL'>>;
  /** True while the demo newsroom is read: every page says so. */
  readonly demo: boolean;
  readonly now?: () => Date;
  /** The issuer whose questions are asked on pages; null where people sign in elsewhere or not at all. */
  readonly issuer?: EmbeddedIssuer | null;
  /** What operators' pages need besides; their pages say so where it is missing. */
  readonly desk?: Desk | null;
}

/** What `buildServer` takes to serve the pages: `buildServer({ …, ...pages({ database, configuration, demo }) })`. */
export function pages(options: PagesOptions): { surfaces: readonly FastifyPluginCallback[]; errorPage: ErrorPage } {
  const { database, store, access, configuration, demo, now = () => new Date() } = options;
  const { issuer = null, desk = null } = options;
  const { authorise } = access;
  const directory = options.directory ?? directoryOf({ brands: [], themes: [] });
  const site: Site = {
    ...{ database, store, directory, authorise, now, demo, desk },
    baseUrl: configuration.BASE_URL,
    sessions: webSessions(database, configuration),
    mails: configuration.SMTP_URL !== undefined,
  };
  const surface: FastifyPluginCallback = (server, _options, done) => {
    readers(server, site);
    for (const part of [homePage, signalPage, brandPage, themePage, sourcesPage, plansPage]) part(server, site);
    for (const part of readerPages) part(server, site);
    if (issuer) issuerPage(server, site, issuer);
    assets(server);
    done();
  };
  return { surfaces: [surface], errorPage: (answer) => renderError(site, answer) };
}
