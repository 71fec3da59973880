/** Prompts: requests that a person picks from a menu of the client. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { plainLine } from './text/quote.ts';

const MORNING_BRIEF = {
  name: 'morning_brief',
  title: 'Morning brief',
  description: "This morning's brief of Indian retail, narrowed to brands or themes if you like.",
  arguments: [
    { name: 'brands', description: 'brands, with commas between them', required: false },
    { name: 'themes', description: 'themes, with commas between them', required: false },
  ],
};

export const PROMPTS = [MORNING_BRIEF];

const LONGEST_ARGUMENT = 300;

/**
 * The messages of a prompt.
 * @throws ProtocolError for one that is not there
 */
export function promptOf(name: string, args: Readonly<Record<string, string>> = {}) {
  if (name !== MORNING_BRIEF.name)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt ${JSON.stringify(name).slice(0, 80)}; there is ${MORNING_BRIEF.name}`,
    );
  const narrowed = (['brands', 'themes'] as const).flatMap((field) => {
    const value = plainLine(args[field] ?? '', LONGEST_ARGUMENT);
    return value ? [`${field} ${JSON.stringify(value)}`] : [];
  });
  const call = narrowed.length > 0 ? `the tool daily_brief with ${narrowed.join(' and ')}` : 'the tool daily_brief';
  const text = `Give me the morning brief of Indian retail. Call ${call}, without hours. Then write each move in two sentences, the most important first: what happened, and why it matters where the brief says so. Name the outlet and link the page of every move. Where the brief is empty, say so and offer the last 72 hours.`;
  return {
    description: MORNING_BRIEF.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  };
}
