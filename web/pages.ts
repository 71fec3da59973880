/** Every page of the site, as a surface of the server. */
import type { FastifyPluginCallback } from 'fastify';
import type { Access } from '../access/access.ts';
import type { EmbeddedIssuer } from '../access/issuer/embedded-issuer.ts';
import type { WebSignInSettings } from '../access/issuer-client.ts';
import { webSessions } from '../access/web-sessions.ts';
import { answerServices } from '../answer/answer-services.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import type { ErrorPage } from '../api/plugins/error-answers.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { type Directory, directoryOf } from '../schemas/directory.ts';
import { type Gazetteer, gazetteerOf } from '../schemas/gazetteer.ts';
import { assets } from './assets.ts';
import type { Desk } from './desk.ts';
import { renderError } from './pages/error.ts';
import { issuerPage } from './pages/issuer.ts';
import { readerPages } from './reader-pages.ts';
import { readers } from './readers.ts';
import { recordPages } from './record-pages.ts';
import type { Site } from './site.ts';

export interface PagesOptions {
  readonly database: Database;
  /** What the pages of the record read, such as a replica; `database` when unset. */
  readonly readers?: Database;
  readonly store: EventStore;
  readonly access: Pick<Access, 'authorise' | 'chargePage'>;
  /** Brands and themes by name; unset, they are known by their stories alone. */
  readonly directory?: Directory;
  /** Cities, malls, companies and groups of the catalogue; none when unset. */
  readonly gazetteer?: Gazetteer;
  readonly configuration: WebSignInSettings & Partial<Pick<Configuration, 'SMTP_URL'>>;
  /** True while the demo newsroom is read: every page says so. A function is asked for each page. */
  readonly demo: boolean | (() => boolean);
  readonly now?: () => Date;
  /** The issuer whose questions are asked on pages; null where people sign in elsewhere or not at all. */
  readonly issuer?: EmbeddedIssuer | null;
  /** Answers questions and composes briefings; unset, names are known by the record alone. */
  readonly answers?: AskServices & ResearchServices;
  /** What operators' pages need besides; their pages say so where it is missing. */
  readonly desk?: Desk | null;
}

/** What `buildServer` takes to serve the pages: `buildServer({ …, ...pages({ database, configuration, demo }) })`. */
export function pages(options: PagesOptions): { surfaces: readonly FastifyPluginCallback[]; errorPage: ErrorPage } {
  const { database, store, access, configuration, demo, now = () => new Date() } = options;
  const { issuer = null, desk = null, readers: replica = database } = options;
  const { BASE_URL: baseUrl } = configuration;
  const { authorise } = access;
  const directory = options.directory ?? directoryOf({ brands: [], themes: [] });
  const gazetteer = options.gazetteer ?? gazetteerOf({ brands: [], groups: [], cities: [], malls: [] });
  const site: Site = {
    ...{ database, store, directory, gazetteer, authorise, now, desk },
    get demo() {
      return typeof demo === 'function' ? demo() : demo;
    },
    baseUrl,
    answers: options.answers ?? answerServices({ database, store, baseUrl, now }),
    sessions: webSessions(database, configuration, now),
    mails: configuration.SMTP_URL !== undefined,
  };
  // Not a copy: `demo` is asked each time.
  const recordSite: Site = Object.create(site, { database: { value: replica, enumerable: true } });
  const surface: FastifyPluginCallback = (server, _options, done) => {
    // A page loads its style sheet, script and icon: those are not counted.
    assets(server);
    server.register(async (own) => {
      readers(own, site, access.chargePage);
      for (const part of recordPages) part(own, recordSite);
      for (const part of readerPages) part(own, site);
      if (issuer) issuerPage(own, site, issuer);
    });
    done();
  };
  return { surfaces: [surface], errorPage: (answer) => renderError(site, answer) };
}
