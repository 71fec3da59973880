/** Resources: signals by their cite ids, and the card that a host shows with the answer of get_signal (MCP Apps). */

import { readFileSync } from 'node:fs';
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { SignalDetail } from '../schemas/resources.ts';
import { SignalId } from '../schemas/scalar.ts';
import type { Resource } from './mcp-server.ts';
import { resolveSignal } from './name-resolution.ts';
import { readStored, type ToolContext, ToolRefusal } from './tool.ts';
import { paragraphs, QUOTE_NOTICE, signalText } from './tool-text.ts';

// Signals as resources, by their cite ids: what get_signal answers as text.

const SIGNAL_URI_PREFIX = 'clarity://signal/';
const SIGNAL_MIME_TYPE = 'text/plain';

export const SIGNAL_TEMPLATE = {
  uriTemplate: `${SIGNAL_URI_PREFIX}{id}`,
  name: 'signal',
  title: 'One move in full',
  description: 'A public signal by its cite id (sig_ and 16 hexadecimal digits): facts, analysis, every report.',
  mimeType: SIGNAL_MIME_TYPE,
};

/** Whether an address is of this template, whatever its id. */
export const isSignalUri = (uri: string): boolean => uri.startsWith(SIGNAL_URI_PREFIX);

/**
 * The text of a signal.
 * @throws ResourceNotFoundError when no public signal has the id
 */
export async function readSignalResource({ database }: ToolContext, uri: string) {
  const id = SignalId.safeParse(uri.slice(SIGNAL_URI_PREFIX.length));
  if (!id.success) throw new ResourceNotFoundError(uri);
  const { document, reports } = await resolveSignal(database, id.data).catch((error) => {
    throw error instanceof ToolRefusal ? new ResourceNotFoundError(uri) : error;
  });
  return {
    uri,
    mimeType: SIGNAL_MIME_TYPE,
    text: paragraphs(QUOTE_NOTICE, signalText(readStored<SignalDetail>(document), reports)),
  };
}

// The card of get_signal: one self-contained page that a host shows beside the text (MCP Apps).

export const CARD_URI = 'ui://clarity/signal-card.html';
const CARD_MIME_TYPE = 'text/html;profile=mcp-app';

/** No domains: the card loads nothing and calls nobody. */
const CARD_PERMISSIONS = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true };

export const SIGNAL_CARD: Resource = {
  uri: CARD_URI,
  name: 'signal-card',
  title: 'Signal card',
  description:
    'Shows one move with its facts and reports. Clients without apps read the same in the text of get_signal.',
  mimeType: CARD_MIME_TYPE,
  text: readFileSync(new URL('./signal-card.html', import.meta.url), 'utf8'),
  meta: { ui: CARD_PERMISSIONS },
};
