/** A draft as Markdown, in pieces that can be sent one by one. */
import type { Draft, Sentence } from './sentence.ts';

/** A piece of the answer, and the ids that it cites. */
export interface Piece {
  readonly text: string;
  readonly ids: readonly string[];
}

/** A sentence with its citations after it. */
export const cited = ({ markdown, ids }: Sentence): string => [markdown, ...ids.map((id) => `[${id}]`)].join(' ');

/** The pieces of a draft; joined they are its content. */
export function pieces({ lead, items, table, notes }: Draft): Piece[] {
  const blocks: Piece[][] = [
    lead.map((sentence, index) => ({ text: `${index > 0 ? ' ' : ''}${cited(sentence)}`, ids: sentence.ids })),
    table.length > 0 ? [{ text: table.join('\n'), ids: [] }] : [],
    items.map((sentence, index) => ({ text: `${index > 0 ? '\n' : ''}- ${cited(sentence)}`, ids: sentence.ids })),
    notes.length > 0 ? [{ text: notes.join(' '), ids: [] }] : [],
  ];
  const [first = [], ...others] = blocks.filter((block) => block.length > 0);
  return [...first, ...others.flatMap((block) => [{ text: '\n\n', ids: [] }, ...block])];
}
