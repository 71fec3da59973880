/** Facts as fields of a form: a row for each fact with a field for each part, and an empty row for one more. */
import { html } from 'hono/html';
import { FACTS } from '../../../facts/all-facts.ts';
import type { FactKind } from '../../../facts/fact.ts';
import { type FormPart, formParts, isSingle, linesOf } from '../../../facts/form-lines.ts';
import type { Markup } from '../../../presentation/markup.ts';
import type { Form } from '../../forms.ts';

const PART = ' | ';
/** Says how many rows a form has: browsers do not send rows whose fields are all empty. */
const rowsName = (field: string): string => `${field}.rows`;

const partField = (part: FormPart, name: string, label: string, value: string): Markup => {
  if (part.choices)
    return html`<select name="${name}" aria-label="${label}">${['', ...part.choices].map((one) => html`<option value="${one}"${one === value ? html` selected` : null}>${one || '–'}</option>`)}</select>`;
  if (part.isDay) return html`<input type="date" name="${name}" aria-label="${label}" value="${value}">`;
  return html`<input name="${name}" aria-label="${label}" placeholder="${part.what}" maxlength="300" value="${value}">`;
};

/** The fields of a kind of fact. @param lines what a signal states, as `writeFacts` writes it */
export function factFields(fact: FactKind, lines: string): Markup {
  const { field } = fact.stored;
  const { title } = fact.form;
  const parts = formParts(fact);
  const stated = linesOf(lines).map((line) => line.split('|').map((part) => part.trim()));
  const rows = isSingle(fact) && stated.length > 0 ? stated : [...stated, []];
  return html`<fieldset class="fact-fields"><legend>${title}</legend><input type="hidden" name="${rowsName(field)}" value="${String(rows.length)}">
  ${rows.map(
    (values, row) =>
      html`<div class="row">${parts.map((part, at) => partField(part, `${field}.${row}.${at}`, `${title} ${row + 1}: ${part.what}`, values[at] ?? ''))}</div>`,
  )}</fieldset>`;
}

/** A form with its fields of facts as `readFacts` reads them: a line for each row that is not empty. */
export function withFactLines(sent: Form): Form {
  const own = new Set<string>();
  const lines: Record<string, string> = {};
  for (const fact of FACTS) {
    const { field } = fact.stored;
    const rows = Number(sent[rowsName(field)]);
    if (!Number.isInteger(rows) || rows < 0 || rows > 200) continue;
    const parts = formParts(fact);
    own.add(rowsName(field));
    const texts = Array.from({ length: rows }, (_, row) => {
      const names = parts.map((_part, at) => `${field}.${row}.${at}`);
      for (const name of names) own.add(name);
      return names
        .map((name) => (sent[name] ?? '').replaceAll('|', '/'))
        .join(PART)
        .replace(/(?: \|\s*)+$/, '');
    });
    const text = texts.filter((line) => line.replaceAll('|', '').trim() !== '').join('\n');
    if (text) lines[field] = text;
  }
  return { ...Object.fromEntries(Object.entries(sent).filter(([name]) => !own.has(name))), ...lines };
}
