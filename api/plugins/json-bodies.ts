/** Parses JSON bodies, and says of a broken one where it breaks. */
import type { FastifyInstance } from 'fastify';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { Refusal } from '../../schemas/input-errors.ts';
import { isNestedTooDeep, MAXIMUM_DEPTH } from '../../schemas/parameters.ts';

const FAULTS: Readonly<Record<string, string>> = {
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  PropertyNameExpected: 'a field name in double quotes is missing',
  ValueExpected: 'a value is missing',
  EndOfFileExpected: 'there is text after the end of the value',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number is incomplete',
  InvalidEscapeCharacter: 'a string contains an invalid escape sequence',
  InvalidUnicode: 'a string contains an invalid Unicode escape',
  InvalidCharacter: 'a string contains a control character that is not escaped',
  InvalidCommentToken: 'comments are not allowed',
};

/**
 * Where a text stops being JSON, such as `line 1, column 9: a comma is missing`.
 * @returns undefined when no place can be named, such as for text that is nested too deep to be followed
 */
export function brokenJsonPlace(text: string): string | undefined {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
  const [first] = errors;
  if (!first) return undefined;
  const before = text.slice(0, first.offset);
  const line = before.split('\n').length;
  const column = first.offset - before.lastIndexOf('\n');
  const fault = FAULTS[printParseErrorCode(first.error)] ?? 'this is no JSON value';
  return `line ${line}, column ${column}: ${fault}`;
}

/** Replaces the server's parser of JSON bodies; what it accepts and how it guards prototypes stays the same. */
export function jsonBodies(server: FastifyInstance): void {
  const parser = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (isNestedTooDeep(body))
      return done(new Refusal('invalid_request', `The body is nested deeper than ${MAXIMUM_DEPTH} levels.`));
    parser(request, body, (error, parsed) => {
      if (!error) return done(null, parsed);
      if (body.trim() === '')
        return done(new Refusal('invalid_request', 'The body is empty; it must be a JSON object.'));
      const place = brokenJsonPlace(body);
      done(place ? new Refusal('invalid_request', `The body is not valid JSON: ${place}.`) : error);
    });
  });
}
