/** One hostile source: its response, and the expected result of a poll. */
import type { Source } from '../../../schemas/source.ts';
import { type Outlet, rss } from './outlet.ts';

export interface Case {
  readonly name: string;
  readonly answer: Outlet['answer'];
  /** The code of the failure, the number of items that are still found, or both. */
  readonly ends: string | RegExp | number | CutOff;
  readonly source?: Partial<Source>;
  readonly robots?: Outlet['answer'];
  /** The host name of the source; it resolves to the outlet unless `LOOKUPS` has another address. */
  readonly host?: string;
}

/** A feed of which a part is read. */
interface CutOff {
  readonly items: number;
  readonly error: string;
}

export const isCutOff = (ends: Case['ends']): ends is CutOff => typeof ends === 'object' && 'items' in ends;

export const GOOD = rss('<title>Zudio opens</title><link>https://outlet.example.in/z</link><guid>z</guid>');
export const LISTING: Partial<Source> = { kind: 'html', selectors: { item: 'li', title: 'a', link: 'a' } };

export const body =
  (text: string | Buffer, headers: Record<string, string | string[]> = {}): Outlet['answer'] =>
  (_request, response) =>
    response.writeHead(200, headers).end(text);

export const status =
  (code: number, headers: Record<string, string> = {}, text = ''): Outlet['answer'] =>
  (_request, response) =>
    response.writeHead(code, headers).end(text);

/** Raw bytes, which need not be valid HTTP. */
export const raw =
  (text: string): Outlet['answer'] =>
  (request) =>
    void request.socket.end(text);
