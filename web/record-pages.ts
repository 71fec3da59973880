/** The pages on which people look: each registers its own address. */
import type { FastifyInstance } from 'fastify';
import { brandPage } from './pages/brand.ts';
import { briefPage } from './pages/brief.ts';
import { cardPage } from './pages/card.ts';
import { cityPage } from './pages/city.ts';
import { changelogPage } from './pages/developers/changelog.ts';
import { operationPage } from './pages/developers/operation.ts';
import { developersPage } from './pages/developers/overview.ts';
import { groupPage } from './pages/group.ts';
import { homePage } from './pages/home.ts';
import { indexPage } from './pages/index-of-names.ts';
import { mallPage } from './pages/mall.ts';
import { mapPage } from './pages/map.ts';
import { peoplePage } from './pages/people.ts';
import { plansPage } from './pages/plans.ts';
import { proposePage } from './pages/propose.ts';
import { robotsPage } from './pages/robots.ts';
import { signalPage } from './pages/signal.ts';
import { sitemapPage } from './pages/sitemap.ts';
import { sourcesPage } from './pages/sources.ts';
import { themePage } from './pages/theme.ts';
import { watchPage } from './pages/watch.ts';
import type { Site } from './site.ts';

export const recordPages: readonly ((server: FastifyInstance, site: Site) => void)[] = [
  homePage,
  signalPage,
  brandPage,
  themePage,
  cityPage,
  mallPage,
  groupPage,
  briefPage,
  watchPage,
  mapPage,
  peoplePage,
  indexPage,
  sourcesPage,
  proposePage,
  plansPage,
  developersPage,
  operationPage,
  changelogPage,
  robotsPage,
  sitemapPage,
  cardPage,
];
