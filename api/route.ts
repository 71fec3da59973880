/**
 * A route and its contract in one value: an `Operation` has the path, the access, the schemas and the description of
 * what `addRoute` serves, so that the description of the API cannot differ from the routes.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Access } from '../access/access.ts';
import type { Authorise } from '../access/authorise.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { type CsvTable, writeCsv } from '../presentation/csv.ts';
import { entityTag } from '../presentation/http/http-caching.ts';
import { XLSX } from '../presentation/xlsx.ts';
import type { SignalSearch } from '../projector/models/search-queries.ts';
import type { AccountId } from '../schemas/access.ts';
import type { Directory, Gazetteer } from '../schemas/directory.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { NoParameters, readBody, readParameters } from '../schemas/parameters.ts';
import type { ErrorCode } from '../schemas/resources.ts';

/** Everything that routes may use. */
export interface RouteContext {
  readonly database: Database;
  readonly search: SignalSearch;
  /** Receives what callers change; it comes back as a projection. */
  readonly store: EventStore;
  /** Brands and themes by name, and the slugs that were retired. */
  readonly directory: Directory;
  /** Categories of brands, and states of cities. */
  readonly gazetteer: Gazetteer;
  /** Public address of the service, without a slash at its end. */
  readonly baseUrl: string;
  readonly authorise: Authorise;
  /** Gives back what a request was charged, for work that fails after its answer has begun. */
  readonly giveBack: Access['giveBack'];
  /** Answers questions and composes briefings. */
  readonly answers: AskServices & ResearchServices;
  readonly now: () => Date;
  /** The setting ALLOW_PRIVATE_SOURCES: readers may propose sources on private networks. */
  readonly privateSources: boolean;
}

/** Who may call: what the guard of the route requires. */
export type OperationAccess = 'anonymous' | 'read' | 'ask' | 'account' | 'signed_in' | 'operator';

export interface Answer {
  readonly description: string;
  /** Schema of a JSON answer; unset, there is no body. */
  readonly schema?: z.ZodType;
  /** A complete answer, as the service could give it. */
  readonly example?: unknown;
  /** Other forms of the same answer by media type: an example of its text, or a document with its schema. */
  readonly others?: Readonly<Record<string, string | { readonly schema: z.ZodType; readonly example: unknown }>>;
  /** Descriptions of its own headers. A name that ends with a question mark is an optional header. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface PathParameter {
  readonly description: string;
  readonly example: string;
  /** Form of values that can exist. The handler answers 404 to any other value. */
  readonly schema?: z.ZodType;
}

type NoShape = Record<never, z.ZodType>;

/** An operation of the API. A path has its parameters in braces: `/api/v1/signals/{slug}`. */
export interface Operation<
  Path extends string = string,
  Query extends z.ZodRawShape = z.ZodRawShape,
  Body extends z.ZodRawShape = z.ZodRawShape,
> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: Path;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly access: OperationAccess;
  readonly pathParameters?: Readonly<Record<string, PathParameter>>;
  /** Schema of the query; without one, every parameter is refused. */
  readonly query?: z.ZodObject<Query>;
  /** Examples by name of the query parameter. */
  readonly queryExamples?: Readonly<Record<string, unknown>>;
  /** Names of query parameters that are ignored. */
  readonly ignored?: RegExp;
  /** The JSON body. Without a schema, no body is read. */
  readonly body?: { readonly schema: z.ZodObject<Body>; readonly example: unknown };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Errors in addition to `invalid_request`, `not_found` where the path has parameters, and those of its access. */
  readonly errors?: readonly ErrorCode[];
  /** False for an operation whose calls are not counted, and which has no guard of its own. Default true. */
  readonly isLimited?: boolean;
}

/** Declares an operation with the types of its path, query and body, which `addRoute` passes to its handler. */
export const defineOperation = <
  const Path extends string,
  Query extends z.ZodRawShape = NoShape,
  Body extends z.ZodRawShape = NoShape,
>(
  operation: Operation<Path, Query, Body>,
): Operation<Path, Query, Body> => operation;

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** A request whose query and body have passed the schemas of the operation. */
interface Call<Path extends string, Query extends z.ZodRawShape, Body extends z.ZodRawShape> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Decoded and otherwise unchecked. */
  readonly parameters: Readonly<Record<ParameterNames<Path>, string>>;
  readonly query: z.output<z.ZodObject<Query>>;
  readonly body: z.output<z.ZodObject<Body>>;
}

const withoutIgnored = (query: unknown, ignored: RegExp): object =>
  Object.fromEntries(Object.entries(query as object).filter(([name]) => !ignored.test(name)));

/**
 * Serves an operation: at its path, behind the guard of its access, with its query and body validated.
 * A bad parameter or field is refused with `invalid_request`; the message names the field, its value and what is allowed.
 */
export function addRoute<Path extends string, Query extends z.ZodRawShape, Body extends z.ZodRawShape>(
  server: FastifyInstance,
  { authorise }: Pick<RouteContext, 'authorise'>,
  operation: Operation<Path, Query, Body>,
  handler: (call: Call<Path, Query, Body>) => Promise<FastifyReply>,
): void {
  const { method, path, access, query, ignored, body, isLimited = true } = operation;
  server.route({
    method: method.toUpperCase(),
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(isLimited ? { onRequest: authorise(access) } : {}),
    handler: async (request, reply) => {
      const parameters = ignored ? withoutIgnored(request.query, ignored) : request.query;
      const call = {
        request,
        reply,
        parameters: request.params,
        query: readParameters(query ?? NoParameters, parameters),
        body: body ? readBody(body.schema, request.body) : {},
      };
      return handler(call as unknown as Call<Path, Query, Body>);
    },
  });
}

/**
 * The account behind a request that its guard let in.
 * @throws Refusal `auth_required` for a caller without an account
 */
export function accountOf(request: FastifyRequest): AccountId {
  const { account } = request.access;
  if (account === null) throw new Refusal('auth_required', 'Send the key of an account, or sign in.');
  return account;
}

/** JSON as it is sent, with its entity tag: computed once for all requests that it answers. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly tag: string;
}

/** @param text JSON */
export function jsonBody(text: string): JsonBody {
  const bytes = Buffer.from(text);
  return { bytes, tag: entityTag(bytes) };
}

/** Sends JSON, byte for byte; the status is 200 unless the reply has another. */
export function sendJson(reply: FastifyReply, body: string | JsonBody): FastifyReply {
  reply.type('application/json; charset=utf-8');
  return typeof body === 'string' ? reply.send(body) : reply.header('etag', body.tag).send(body.bytes);
}

/** Sends a value as JSON. */
export const sendValue = (reply: FastifyReply, value: object): FastifyReply => sendJson(reply, JSON.stringify(value));

/**
 * The operation with its answer as a table, at an address of its own: a JSON answer keeps one type.
 * @param example a table as the operation would answer
 * @param headers of the answer, in addition to `Content-Disposition`
 */
export const asTable = <Path extends string, Query extends z.ZodRawShape, Body extends z.ZodRawShape>(
  operation: Operation<Path, Query, Body>,
  id: string,
  { columns, rows }: CsvTable,
  headers: Readonly<Record<string, string>> = {},
): Operation<`${Path}.csv`, Query, Body> => ({
  ...operation,
  path: `${operation.path}.csv`,
  id,
  summary: `${operation.summary}, as CSV`,
  description: `What \`${operation.path}\` answers, as a table (RFC 4180) with the names of its columns first. Text that a spreadsheet would run as a formula begins with an apostrophe.`,
  answers: {
    200: {
      description: 'The table.',
      others: { 'text/csv': writeCsv(columns, rows) },
      headers: { ...headers, ...FILE_NAME },
    },
  },
});

const FILE_NAME = { 'Content-Disposition': 'A name for the file' };

/** A file whose bytes the description does not show. */
export const BinaryFile = z.string().describe('The bytes of the file');

/** The operation with its answer as a workbook, at an address of its own. */
export const asWorkbook = <Path extends string, Query extends z.ZodRawShape, Body extends z.ZodRawShape>(
  operation: Operation<Path, Query, Body>,
  id: string,
  headers: Readonly<Record<string, string>> = {},
): Operation<`${Path}.xlsx`, Query, Body> => ({
  ...operation,
  path: `${operation.path}.xlsx`,
  id,
  summary: `${operation.summary}, as a workbook`,
  description: `What \`${operation.path}.csv\` answers, as a workbook of Office Open XML. Text stays text, days are dates.`,
  answers: {
    200: {
      description: 'The workbook.',
      others: { [XLSX]: { schema: BinaryFile, example: '' } },
      headers: { ...headers, ...FILE_NAME },
    },
  },
});
