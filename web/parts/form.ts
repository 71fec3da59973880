/** A form that changes something: it carries the token of the session that it was made for. */
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import type { Markup } from '../markup.ts';

/** Fields that nobody sees. */
export const hidden = (fields: Readonly<Record<string, string>>): Markup =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;

/**
 * @param fields what it sends besides what is typed in
 * @param body the fields that people see, and the button
 */
export const form = (
  reader: Reader | null,
  action: string,
  fields: Readonly<Record<string, string>>,
  body: Markup,
  style: 'act' | 'narrow' = 'act',
): Markup => html`<form class="${style}" method="post" action="${action}">
  ${hidden({ ...(reader ? { form_token: reader.formToken } : {}), ...fields })}${body}
</form>`;
