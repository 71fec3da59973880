/** What an operator's command does to one source: pure, from its entry to the event. */
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/identity.ts';
import { Source } from '../../schemas/source.ts';
import { allowedBy } from './allowed.ts';
import type { RosterEntry } from './fold-sources.ts';
import type { RosterAuthor } from './plan-roster.ts';

/** A command that cannot be done; the message says what is allowed. */
export class SourceRefused extends Error {
  override name = 'SourceRefused';
}

/** Fields as an operator gave them, not yet checked. */
export type SourceFields = Readonly<Record<string, unknown>>;

export type SourceCommand =
  | { readonly do: 'add'; readonly id: string; readonly fields: SourceFields }
  | { readonly do: 'edit'; readonly id: string; readonly fields: SourceFields }
  | { readonly do: 'pause' | 'resume' | 'retire'; readonly id: string };

/**
 * Decides on a command.
 * @param entry what is known of the source, null when it was never in the roster
 * @param time RFC 3339 in UTC
 * @returns the event, or null when the source is already so
 * @throws SourceRefused
 */
export function decideSource(
  entry: RosterEntry | null,
  command: SourceCommand,
  author: RosterAuthor,
  time: string,
): KnownEvent | null {
  const about = {
    id: eventId('source command', command.id, command.do, entry?.revision ?? -1, author.by, JSON.stringify(command)),
    time,
  };
  if (command.do === 'add') {
    if (entry && !entry.retired)
      throw new SourceRefused(`the roster has a source ${command.id} already; use edit, or give another --id`);
    return newEvent('SourceAdded', { ...author, source: checkedSource({ ...command.fields, id: command.id }) }, about);
  }
  if (!entry) throw new SourceRefused(`no source has the id ${JSON.stringify(command.id)}; sources list shows them`);
  if (command.do === 'retire')
    return entry.retired ? null : newEvent('SourceRetired', { ...author, source_id: command.id }, about);
  if (entry.retired) throw new SourceRefused(`the source ${command.id} is retired; add it again first`);
  const source = checkedSource({ ...entry.source, ...changesOf(command), id: command.id });
  return isDeepStrictEqual(source, entry.source) ? null : newEvent('SourceChanged', { ...author, source }, about);
}

function changesOf(command: Exclude<SourceCommand, { do: 'add' | 'retire' }>): SourceFields {
  if (command.do === 'edit') return command.fields;
  return { paused: command.do === 'pause' };
}

/**
 * Checks the fields of a source.
 * @throws SourceRefused with one line per fault
 */
export function checkedSource(fields: SourceFields): Source {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const source = Source.safeParse(given);
  if (!source.success)
    throw new SourceRefused(source.error.issues.flatMap((issue) => faultsOf(issue, given)).join('\n'));
  if (source.data.kind === 'html' && !source.data.selectors)
    throw new SourceRefused('selectors: a source of kind html needs them, at least item and title');
  return source.data;
}

const faultsOf = (issue: z.core.$ZodIssue, given: SourceFields): string[] =>
  allowedBy(issue).map(([path, message]) => {
    const value = path.reduce<unknown>((inside, part) => (inside as Record<PropertyKey, unknown>)?.[part], given);
    return `${path.join('.')}: ${value === undefined || path.includes('headers') ? '' : `${JSON.stringify(value).slice(0, 120)} cannot be used: `}${message}`;
  });
