/** The form that suggests a source. */
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import type { Form } from '../forms.ts';
import type { Markup } from '../markup.ts';
import { form } from './form.ts';

const field = (name: string, label: string, typed: Form, attributes: Markup): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${typed[name] ?? ''}" ${attributes}></div>`;

/** @param typed what was typed in before, when it has to be mended */
export const proposeForm = (reader: Reader | null, typed: Form = {}): Markup =>
  form(
    reader,
    '/sources/propose',
    {},
    html`${field('url', 'Address of a feed or page', typed, html`type="url" maxlength="2048" required placeholder="https://"`)}
    ${field('outlet', 'Publisher (optional)', typed, html`maxlength="120"`)}
    <div class="field"><label for="reason">Why it matters (optional)</label><textarea id="reason" name="reason" rows="3" maxlength="1000">${typed.reason ?? ''}</textarea></div>
    ${field('email', 'Your e-mail address, where we may ask (optional)', typed, html`type="email" maxlength="320" autocomplete="email"`)}
    <div><button type="submit">Propose</button></div>`,
    'narrow',
  );
