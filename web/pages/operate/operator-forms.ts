/** Forms of operators, made of the actions in `operations/`: their fields, and what happens when one is sent. */
import { html } from 'hono/html';
import type { Reader } from '../../../access/web-sessions.ts';
import { type Field, fieldsOf, type Given, readInput } from '../../../operations/fields.ts';
import { actingAs, type OperatorAction, type OperatorContext } from '../../../operations/operator-action.ts';
import type { Markup } from '../../../presentation/markup.ts';
import { waitForOwnWrite } from '../../../projector/model-progress.ts';
import { Refusal } from '../../../schemas/input-errors.ts';
import { type Form, form } from '../../forms.ts';
import type { Site } from '../../site.ts';

/** The operator of a request. */
export interface Operator {
  readonly reader: Reader;
  /** The name in events. */
  readonly by: string;
}

/** An action that a form can send. */
// biome-ignore lint/suspicious/noExplicitAny: forms of one page have actions of any arguments.
export type PageAction = OperatorAction<any, any, 'anywhere'>;

/** A form of a page: its action, and what the page adds to it. */
export interface PageForm {
  readonly action: PageAction;
  /** Fields that the form shows: one that was emptied has an empty value, as browsers and `readForm` leave it out. */
  readonly shows?: readonly string[] | ((sent: Form) => readonly string[]);
  /** What the form sends as the arguments of the action, where its fields are others. */
  readonly read?: (sent: Form) => Form;
  /** Arguments that the page sets. @param parameters of its path */
  readonly given?: (parameters: Readonly<Record<string, unknown>>) => Readonly<Record<string, Given>>;
  /** What the page does in another way than usual. */
  readonly context?: Partial<OperatorContext>;
  /** Where the browser goes; by default back to the page. */
  // biome-ignore lint/suspicious/noExplicitAny: the result of the action.
  readonly to?: (result: any) => string;
}

/** Milliseconds that an outlet may take to answer a form. */
const TIMEOUT = 25_000;

/** What an action may use on a page. */
function contextOf(site: Site, { by }: Operator, action: PageAction, why: string | undefined): OperatorContext {
  const { database, store, now, desk, directory, catalogue, privateSources } = site;
  const missing = (what: string): Refusal =>
    new Refusal('invalid_request', `This process cannot ${what}. Use the command line.`);
  return {
    database,
    store,
    now,
    privateSources,
    signal: AbortSignal.timeout(TIMEOUT),
    commander: { role: 'operator', by: `operator ${by}` },
    ...actingAs(action, site, { by, why }),
    get fetchPage() {
      if (desk) return desk.fetchPage;
      throw missing('poll');
    },
    async catalogue() {
      if (catalogue) return catalogue;
      throw missing('change the catalogue');
    },
    directory: async () => directory,
    understand: desk?.understand ?? null,
    async retryParked(entries) {
      if (desk) return desk.retry(entries);
      throw missing('retry');
    },
  };
}

/**
 * Runs the action of a form.
 * @returns its result
 * @throws Refusal for arguments that cannot be used; what the action throws
 */
export async function runAction(
  site: Site,
  operator: Operator,
  { action, shows = [], read = (one) => one, given, context }: Omit<PageForm, 'to'>,
  form: Form,
  parameters: Readonly<Record<string, unknown>> = {},
) {
  const sent = read(form);
  if (action.reason === 'on pages' && !sent.why)
    throw new Refusal('invalid_request', 'why: missing. Allowed: a reason, which is stored.');
  const names = typeof shows === 'function' ? shows(sent) : shows;
  const emptied = Object.fromEntries(names.map((name) => [name, '']));
  const input = readInput(action, { ...emptied, ...sent, ...given?.(parameters) });
  const usual = contextOf(site, operator, action, sent.why);
  const whole = context ? Object.defineProperties(usual, Object.getOwnPropertyDescriptors(context)) : usual;
  return action.run(input, whole);
}

/**
 * Runs the action of a form, and waits until this process sees what it changed.
 * @returns where the browser goes; undefined for the page itself
 * @throws as `runAction`
 */
export async function runForm(
  site: Site,
  operator: Operator,
  { to, ...form }: PageForm,
  sent: Form,
  parameters: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const { seenIn } = form.action;
  const result = await runAction(site, operator, form, sent, parameters);
  if (seenIn) await waitForOwnWrite(site.database, seenIn, await site.store.head());
  if (seenIn?.includes('catalogue')) await site.catalogue?.refresh();
  return to?.(result);
}

/** The field for the reason. @param id unique on the page */
export const whyField = (id: string, label = 'Reason'): Markup =>
  html`<p class="field"><label for="why-${id}">${label}</label><input id="why-${id}" name="why" maxlength="500" required></p>`;

const ROWS = 6;

/**
 * A field of an action in a form.
 * @param value what it has at first; "yes" for a box that is ticked
 * @param wordsOf names a choice
 */
export function inputOf(field: Field, id: string, value: string, wordsOf = (choice: string) => choice): Markup {
  const { name, kind, choices, limits, isRequired, isLong } = field;
  const required = isRequired ? html` required` : null;
  const label = html`<label for="${id}">${field.label ?? field.description ?? name}</label>`;
  if (kind === 'choice')
    return html`<p class="field">${label}<select id="${id}" name="${name}">${choices.map(
      (one) => html`<option value="${one}"${one === value ? html` selected` : null}>${wordsOf(one)}</option>`,
    )}</select></p>`;
  if (kind === 'flag')
    return html`<p class="field"><label><input type="checkbox" id="${id}" name="${name}" value="yes"${value === 'yes' ? html` checked` : null}> ${field.label ?? field.description ?? name}</label></p>`;
  if (isLong)
    return html`<p class="field">${label}<textarea id="${id}" name="${name}" rows="${ROWS}"${required}>${value}</textarea></p>`;
  const { minimum, maximum, maxLength } = limits;
  const attributes =
    kind === 'number'
      ? html`type="number" min="${String(minimum ?? 0)}" max="${String(maximum ?? '')}" step="any"`
      : html`maxlength="${String(maxLength ?? 2_048)}"`;
  return html`<p class="field">${label}<input id="${id}" name="${name}" value="${value}" ${attributes}${required}></p>`;
}

export interface FormOptions {
  /** Address of the page that has the form. */
  readonly at: string;
  /** Fields with values that are not shown. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** Names of the fields that are shown, with what they have at first. */
  readonly shown?: Readonly<Record<string, string>>;
  /** Fields of the page's own, before the reason. */
  readonly body?: Markup;
  /** What makes ids of the form's fields unique on the page. */
  readonly key?: string;
  readonly button: string;
  /** Of the button for those who do not see its place. */
  readonly label?: string;
  /** Key of the desk that presses the button. */
  readonly pressedBy?: string;
  /** For a button that is not the main one. */
  readonly isPlain?: boolean;
  /** The label of the field for the reason, or false for a form without one. */
  readonly why?: string | false;
}

/** The form of an action. */
export function actionForm({ reader }: Operator, action: PageAction, options: FormOptions): Markup {
  const { at, hidden = {}, shown = {}, body, key, button, label, pressedBy, isPlain, why } = options;
  const fields = fieldsOf(action.input).filter(({ name }) => Object.hasOwn(shown, name));
  const hasReason = why !== false && action.reason !== undefined;
  const press = html`<button${isPlain ? html` class="plain"` : null}${pressedBy ? html` data-key="${pressedBy}"` : null}${label ? html` aria-label="${label}"` : null}>${button}</button>`;
  const isSmall = fields.length === 0 && !body && !hasReason;
  const inside = html`${fields.map((field) => inputOf(field, key ? `${field.name}-${key}` : field.name, shown[field.name] ?? ''))}${body ?? null}${hasReason ? whyField(key ?? action.name, why || undefined) : null}${isSmall ? press : html`<p>${press}</p>`}`;
  return form(reader, `${at}/${action.name}`, hidden, inside, isSmall ? 'act' : 'narrow');
}

/** The same behind a summary. */
export const foldedForm = (operator: Operator, action: PageAction, summary: string, options: FormOptions): Markup =>
  html`<details><summary>${summary}</summary>${actionForm(operator, action, options)}</details>`;
