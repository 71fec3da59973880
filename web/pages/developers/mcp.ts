/** How an assistant is set up to use the record. */
import { html } from 'hono/html';
import type { Markup } from '../../markup.ts';

/** The tools and what each answers, as the contract lists them. */
const TOOLS = [
  ['latest_moves', 'Newest moves, by brand, theme or kind of move'],
  ['get_signal', 'One move in full: why it matters, what to watch, key facts, source'],
  ['brand_profile', "One brand's last 30 days against the 30 before, by kind"],
  ['compare_brands', 'Competitor Watch'],
  ['daily_brief', 'The morning brief'],
  ['get_expansion_map', 'Who is opening where, and who to pitch'],
  ['get_group', 'One group of businesses and its results season'],
  ['get_leadership_moves', 'Who joined, left or was promoted'],
  ['search', 'Find brands, themes and moves'],
  ['fetch', 'Full text of one search result'],
] as const;

/** @param baseUrl address that readers use */
export const mcpSetUp = (baseUrl: string): Markup => html`<section class="part" id="mcp"><h2>In an assistant: MCP</h2>
  <p>The record speaks the Model Context Protocol over Streamable HTTP at <code>${baseUrl}/mcp</code>. Without a key an
    assistant has 50 calls a day; with one, those of its account.</p>
  <p>Claude Code:</p>
  <pre tabindex="0">claude mcp add --transport http clarity ${baseUrl}/mcp --header "Authorization: Bearer &lt;key&gt;"</pre>
  <p>Clients that read a file:</p>
  <pre tabindex="0">{
  "mcpServers": {
    "clarity": {
      "type": "http",
      "url": "${baseUrl}/mcp",
      "headers": { "Authorization": "Bearer &lt;key&gt;" }
    }
  }
}</pre>
  <p>Clients that sign in by themselves take <code>${baseUrl}/mcp/account</code> and need no key.</p>
  <div class="scroll" tabindex="0" role="region" aria-label="Tools"><table><thead><tr><th scope="col">Tool</th><th scope="col">Answers</th></tr></thead>
    <tbody>${TOOLS.map(([name, what]) => html`<tr><th scope="row"><code>${name}</code></th><td>${what}</td></tr>`)}</tbody></table></div>
</section>`;
