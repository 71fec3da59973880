/** A route as its contract: what the description says of an operation, and what its handler is given. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Access } from '../access/access.ts';
import type { Authorise } from '../access/authorise.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Directory } from '../schemas/directory.ts';
import { Refusal } from '../schemas/input-errors.ts';
import type { ErrorCode } from '../schemas/resources.ts';

// What routes are given. They reach nothing else.

export interface RouteContext {
  readonly database: Database;
  /** What callers change is appended here; it comes back as a projection. */
  readonly store: EventStore;
  /** Brands and themes by name, and the slugs that were retired. */
  readonly directory: Directory;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly authorise: Authorise;
  /** Gives back what a request was charged, for work that fails after its answer has begun. */
  readonly giveBack: Access['giveBack'];
  /** Answers questions and composes briefings. */
  readonly answers: AskServices & ResearchServices;
  readonly now: () => Date;
}

// The account behind a request that its guard let in.

/** @throws Refusal `auth_required` for a caller without an account */
export function accountOf(request: FastifyRequest): string {
  const { account } = request.access;
  if (account === null) throw new Refusal('auth_required', 'Send the key of an account, or sign in.');
  return account;
}

// Sends text that is JSON already.

/** Answers 200 unless the reply has another status; the text goes out byte for byte. */
export const sendJson = (reply: FastifyReply, text: string): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(text);

// What the description of the API says of one operation. The schemas are those that the routes check with.

/** Who may call: as the guard of the route demands. */
export type OperationAccess = 'anonymous' | 'read' | 'ask' | 'account' | 'signed_in';

export interface Answer {
  readonly description: string;
  /** Of a JSON answer; unset, there is no body. */
  readonly schema?: z.ZodType;
  /** A whole answer, as the service could give it. */
  readonly example?: unknown;
  /** Other forms of the same answer by media type: an example of its text, or a document with its schema. */
  readonly others?: Readonly<Record<string, string | { readonly schema: z.ZodType; readonly example: unknown }>>;
  /** What each says; a name that ends with a question mark is of a header that not every such answer has. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** With parameters in braces: `/api/v1/signals/{slug}`. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly access: OperationAccess;
  readonly pathParameters?: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly example: string;
        /** What the route looks up; of everything else it says at once that it is not there. */
        readonly schema?: z.ZodType;
      }
    >
  >;
  readonly query?: z.ZodObject;
  /** Examples by name of the query parameter. */
  readonly queryExamples?: Readonly<Record<string, unknown>>;
  readonly body?: { readonly schema: z.ZodType; readonly example: unknown };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Errors besides those that every operation of its access can answer with. */
  readonly errors?: readonly ErrorCode[];
  /** True when it is limited in calls, as everything under /api/v1 is. */
  readonly isLimited?: boolean;
}
