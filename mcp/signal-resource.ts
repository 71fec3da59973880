/** Signals as resources, by their cite ids: what get_signal answers as text. */
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { SignalDetail } from '../schemas/resources.ts';
import { SignalId } from '../schemas/scalar.ts';
import type { ToolContext } from './context.ts';
import { signalNamed } from './find-signal.ts';
import { readStored } from './output.ts';
import { NOTICE } from './text/quote.ts';
import { paragraphs } from './text/signal-lines.ts';
import { signalText } from './text/signal-text.ts';
import { ToolRefusal } from './tool.ts';

const PREFIX = 'clarity://signal/';
const MIME_TYPE = 'text/plain';

export const SIGNAL_TEMPLATE = {
  uriTemplate: `${PREFIX}{id}`,
  name: 'signal',
  title: 'One move in full',
  description: 'A public signal by its cite id (sig_ and 16 hexadecimal digits): facts, analysis, every report.',
  mimeType: MIME_TYPE,
};

/** Whether an address is of this template, whatever its id. */
export const isSignalUri = (uri: string): boolean => uri.startsWith(PREFIX);

/**
 * The text of a signal.
 * @throws ResourceNotFoundError when no public signal has the id
 */
export async function readSignalResource({ database }: ToolContext, uri: string) {
  const id = SignalId.safeParse(uri.slice(PREFIX.length));
  if (!id.success) throw new ResourceNotFoundError(uri);
  const { document, reports } = await signalNamed(database, id.data).catch((error) => {
    throw error instanceof ToolRefusal ? new ResourceNotFoundError(uri) : error;
  });
  return {
    uri,
    mimeType: MIME_TYPE,
    text: paragraphs(NOTICE, signalText(readStored<SignalDetail>(document), reports)),
  };
}
