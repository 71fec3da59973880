/** Resources: signals by their cite ids, and the card that a host shows with the answer of get_signal (MCP Apps). */

import { readFileSync } from 'node:fs';
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { SignalDetail } from '../schemas/resources.ts';
import { SignalId } from '../schemas/scalar.ts';
import { resolveSignal } from './name-resolution.ts';
import { readStored, type ToolContext, ToolRefusal } from './tool.ts';
import { paragraphs, QUOTE_NOTICE, signalText } from './tool-text.ts';

/** A resource with fixed content, such as the card of a signal. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly text: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

const SIGNAL_URI_PREFIX = 'clarity://signal/';
const SIGNAL_MIME_TYPE = 'text/plain';

export const SIGNAL_TEMPLATE = {
  uriTemplate: `${SIGNAL_URI_PREFIX}{id}`,
  name: 'signal',
  title: 'One move in full',
  description: 'A public signal by its cite id (sig_ and 16 hexadecimal digits): facts, analysis, every report.',
  mimeType: SIGNAL_MIME_TYPE,
};

/** Whether a URI matches the template of signals, with any id. */
export const isSignalUri = (uri: string): boolean => uri.startsWith(SIGNAL_URI_PREFIX);

/**
 * Reads the text of a signal, the same that get_signal answers.
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

export const CARD_URI = 'ui://clarity/signal-card.html';
const CARD_MIME_TYPE = 'text/html;profile=mcp-app';

/** No domains: the card loads nothing and calls nothing. */
const CARD_PERMISSIONS = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true };

export const SIGNAL_CARD: Resource = {
  uri: CARD_URI,
  name: 'signal-card',
  title: 'Signal card',
  description:
    'Shows one move with its facts and reports. Clients without apps get the same in the text of get_signal.',
  mimeType: CARD_MIME_TYPE,
  text: readFileSync(new URL('./signal-card.html', import.meta.url), 'utf8'),
  meta: { ui: CARD_PERMISSIONS },
};
