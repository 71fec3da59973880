/** What the elements of a page say, for tests of pages. */
import type { CheerioAPI } from 'cheerio';

/** The text of each element that a selector matches, with one space between words. */
export const textsOf = ($: CheerioAPI, selector: string): string[] =>
  $(selector)
    .toArray()
    .map((element) => $(element).text().replace(/\s+/g, ' ').trim());

/** An attribute of each element that a selector matches, empty where it has none. */
export const attributesOf = ($: CheerioAPI, selector: string, name: string): string[] =>
  $(selector)
    .toArray()
    .map((element) => $(element).attr(name) ?? '');

/** The fields of the form that a selector matches, as a browser sends them. */
export const fieldsOf = ($: CheerioAPI, form: string): Record<string, string> =>
  Object.fromEntries(
    $(form)
      .serializeArray()
      .map(({ name, value }) => [name, value]),
  );
