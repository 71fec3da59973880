/** One site for all that people do: a site each would cost seconds. */
import { createFetchPage } from '../../../ingest/poll/fetch/fetch-page.ts';
import { hostGate } from '../../../ingest/poll/fetch/host-gate.ts';
import { type Outlets, startOutlets } from '../../harness/outlets.ts';
import { type SigningIn, signingIn } from './signing-in.ts';

const ASKED = ['search', 'names', 'openings', 'appointments', 'results', 'sessions', 'investigations'];

let site: Promise<SigningIn> | undefined;
let outlets: Promise<Outlets> | undefined;

/** Outlets whose feeds operators take in. */
export function theOutlets(): Promise<Outlets> {
  outlets ??= startOutlets(['paper']);
  return outlets;
}

export function theSite(): Promise<SigningIn> {
  const fetchPage = createFetchPage({ allowAddress: () => true, userAgent: 'test', gate: hostGate() });
  site ??= signingIn({ models: ['brands', 'themes', ...ASKED], desk: { fetchPage, retry: async () => [] } });
  return site;
}

export async function closeTheSite(): Promise<void> {
  await (await site)?.close();
  await (await outlets)?.close();
}
