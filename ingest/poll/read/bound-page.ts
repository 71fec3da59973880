/** How much of a web page is built in memory. */
import { Parser } from 'htmlparser2';
import { PollError } from '../poll-error.ts';

const DEEPEST = 1_000;
const MOST_ELEMENTS = 300_000;
const MAX_ATTRIBUTES = 600_000;

/**
 * Runs once over a page without building it.
 * @throws PollError too_complex when its tree would be too deep or too large
 */
export function boundPage(html: string): void {
  let depth = 0;
  let elements = 0;
  let attributes = 0;
  const tooComplex = (): PollError =>
    new PollError('too_complex', 'the page has more elements, or deeper ones, than any page of news');
  const counting = {
    onopentagname() {
      depth += 1;
      elements += 1;
      if (depth > DEEPEST || elements > MOST_ELEMENTS) throw tooComplex();
    },
    onattribute() {
      attributes += 1;
      if (attributes > MAX_ATTRIBUTES) throw tooComplex();
    },
    onclosetag() {
      depth -= 1;
    },
  };
  // As pages are read: an element that ends itself is not around what follows.
  new Parser(counting, { recognizeSelfClosing: true }).end(html);
}
