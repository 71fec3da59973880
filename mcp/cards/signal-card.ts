/** The card of get_signal: one self-contained page that a host shows beside the text (MCP Apps). */
import { readFileSync } from 'node:fs';
import type { Resource } from '../server.ts';

export const CARD_URI = 'ui://clarity/signal-card.html';
export const CARD_TYPE = 'text/html;profile=mcp-app';

/** No domains: the card loads nothing and calls nobody. */
const PERMITTED = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true };

export const SIGNAL_CARD: Resource = {
  uri: CARD_URI,
  name: 'signal-card',
  title: 'Signal card',
  description:
    'Shows one move with its facts and reports. Clients without apps read the same in the text of get_signal.',
  mimeType: CARD_TYPE,
  text: readFileSync(new URL('./signal-card.html', import.meta.url), 'utf8'),
  meta: { ui: PERMITTED },
};
