/** A list to choose one of, in a form. */
import { html } from 'hono/html';
import type { Markup } from '../markup.ts';

export interface Choice {
  /** Empty for no choice. */
  readonly value: string;
  readonly name: string;
}

/** @param chosen the value that is chosen now; the first choice when unset */
export const choiceField = (
  name: string,
  label: string,
  choices: readonly Choice[],
  chosen: string | undefined,
): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${choices.map(
    (choice) =>
      html`<option value="${choice.value}"${choice.value === (chosen ?? choices[0]?.value) ? html` selected` : null}>${choice.name}</option>`,
  )}</select></div>`;

/** Words that name themselves. */
export const plainChoices = (words: readonly string[]): Choice[] => words.map((word) => ({ value: word, name: word }));
