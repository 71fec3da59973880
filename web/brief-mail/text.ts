/** The morning brief as plain text. */
import type { Brief, BriefItem } from '../../schemas/brief.ts';
import { counted, neutralise } from '../text.ts';
import { aboutLine, DEMO_NOTE, type MailFrame, WHY_YOU } from './frame.ts';

const WIDTH = 74;

/** Breaks a text into lines, a stranger's line breaks taken out. */
export function wrapped(text: string, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of neutralise(text).split(/\s+/).filter(Boolean)) {
    if (line && line.length + word.length + 1 > WIDTH - indent.length) {
      lines.push(indent + line);
      line = '';
    }
    line = line ? `${line} ${word}` : word;
  }
  if (line) lines.push(indent + line);
  return lines.join('\n');
}

function item(one: BriefItem, place: number): string {
  const told = [
    one.source.outlet ?? 'a report',
    ...(one.other_outlets > 0 ? [`and ${counted(one.other_outlets, 'more outlet')}`] : []),
  ];
  const parts = [
    wrapped(`${place}. ${one.headline}${one.delta ? ` (${one.delta})` : ''}`),
    one.why_it_matters && wrapped(one.why_it_matters, '   '),
    one.what_to_watch && wrapped(`To watch: ${one.what_to_watch}`, '   '),
    wrapped(told.join(' '), '   '),
    `   ${one.url}`,
  ];
  return parts.filter(Boolean).join('\n');
}

/** @param brief its texts are strangers' */
export const briefText = (brief: Brief, frame: MailFrame): string =>
  [
    `CLARITY\n${brief.label}\n${aboutLine(frame)}`,
    ...(frame.demo ? [wrapped(DEMO_NOTE)] : []),
    ...brief.items.map((one, index) => item(one, index + 1)),
    `--\n${WHY_YOU}\n${frame.baseUrl}/brief/mail\nEnd it: ${frame.ending}\n`,
  ].join('\n\n');
