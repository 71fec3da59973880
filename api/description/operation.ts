/** What the description of the API says of one operation. The schemas are those that the routes check with. */
import type { z } from 'zod';
import type { ErrorCode } from '../../schemas/resources.ts';

/** Who may call: as the guard of the route demands. */
export type Access = 'anonymous' | 'read' | 'ask' | 'account' | 'signed_in';

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
  readonly access: Access;
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
