/** What a zod issue says, in words that tell what is allowed. */
import type { z } from 'zod';

type Fault = readonly [path: readonly PropertyKey[], message: string];

/** The faults of an issue: one, or one per unknown key. */
export function allowedBy(issue: z.core.$ZodIssue): readonly Fault[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => [[...issue.path, key], 'there is no field of this name']);
  return [[issue.path, messageOf(issue)]];
}

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    case 'invalid_type':
      return `must be given, as ${article(issue.expected)}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an http or https address' : issue.message;
    default:
      return issue.message;
  }
}

const article = (type: string): string => {
  const word = { int: 'whole number', record: 'map', object: 'map', array: 'list' }[type] ?? type;
  return `a ${word}`;
};
