/** The pages on which people do something: each registers its address and those of its forms. */
import type { FastifyInstance } from 'fastify';
import { accountPage } from './pages/account.ts';
import { askPage } from './pages/ask/ask.ts';
import { turnPage } from './pages/ask/turn.ts';
import { briefMailPage } from './pages/brief-mail.ts';
import { followPage } from './pages/follow.ts';
import { inboxPage } from './pages/inbox.ts';
import { keysPage } from './pages/keys.ts';
import { accountsPage } from './pages/operate/accounts.ts';
import { applicationsPage } from './pages/operate/applications.ts';
import { unlistedBrandsPage } from './pages/operate/brands.ts';
import { operatePage } from './pages/operate/overview.ts';
import { parkedPage } from './pages/operate/parked.ts';
import { proposalsPage } from './pages/operate/proposals.ts';
import { reviewPage } from './pages/operate/signals.ts';
import { researchPage } from './pages/research.ts';
import { signInPage } from './pages/sign-in.ts';
import { signOutPage } from './pages/sign-out.ts';
import { unsubscribePage } from './pages/unsubscribe.ts';
import type { Site } from './site.ts';

export const readerPages: readonly ((server: FastifyInstance, site: Site) => void)[] = [
  signInPage,
  signOutPage,
  accountPage,
  keysPage,
  followPage,
  inboxPage,
  briefMailPage,
  askPage,
  turnPage,
  researchPage,
  unsubscribePage,
  operatePage,
  applicationsPage,
  accountsPage,
  proposalsPage,
  reviewPage,
  unlistedBrandsPage,
  parkedPage,
];
