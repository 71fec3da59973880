/** The pages on which people look: each registers its own address. */
import type { FastifyInstance } from 'fastify';
import { brandPage } from './pages/brand.ts';
import { cityPage } from './pages/city.ts';
import { homePage } from './pages/home.ts';
import { plansPage } from './pages/plans.ts';
import { signalPage } from './pages/signal.ts';
import { sourcesPage } from './pages/sources.ts';
import { themePage } from './pages/theme.ts';
import type { Site } from './site.ts';

export const recordPages: readonly ((server: FastifyInstance, site: Site) => void)[] = [
  homePage,
  signalPage,
  brandPage,
  themePage,
  cityPage,
  sourcesPage,
  plansPage,
];
