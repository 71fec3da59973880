/** Fetches pages for commands, under the same guards and manners as the poller. */
import { addressRule } from '../ingest/poll/fetch/addresses.ts';
import { askingRobots } from '../ingest/poll/fetch/ask-robots.ts';
import { createFetchPage, type FetchPage } from '../ingest/poll/fetch/fetch-page.ts';
import { hostGate } from '../ingest/poll/fetch/host-gate.ts';
import type { SecretLookup } from '../ingest/poll/fetch/source-headers.ts';
import { PRODUCT, userAgent } from '../ingest/poll/run.ts';
import type { Configuration } from '../schemas/configuration.ts';
import { contactOf } from './contact.ts';

/** What `${SOURCE_…}` in a header of a source stands for; only settings of such names can be asked for. */
export const sourceSecret: SecretLookup = (name) => (name.startsWith('SOURCE_') ? process.env[name] : undefined);

/** @param now the time of the machine where no database is asked */
export const openFetcher = (configuration: Configuration, now = () => new Date()): FetchPage =>
  askingRobots(
    createFetchPage({
      allowAddress: addressRule(() => configuration.ALLOW_PRIVATE_SOURCES),
      userAgent: userAgent(contactOf(configuration)),
      gate: hostGate(),
      secrets: sourceSecret,
    }),
    PRODUCT,
    now,
  );
