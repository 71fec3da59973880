/** Hosted assistants, as `deploy/assistants.yaml` lists them. */
import { z } from 'zod';

/** How a request of an assistant is told, and where it names its session. */
export const Assistant = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be kebab-case such as "claude"'),
  name: z.string().min(1).max(80),
  user_agent: z
    .string()
    .regex(/^[\w.!#$%&'*+^`|~-]+(?:\/[\w.!#$%&'*+^`|~-]+)?$/, 'must be a product, or product/version')
    .describe('product of the User-Agent, such as Claude-User; with a version only that version'),
  addresses: z.array(z.union([z.cidrv4(), z.cidrv6()])).describe('published ranges such as 160.79.104.0/21'),
  session_headers: z.array(z.string().regex(/^[a-z0-9-]+$/, 'must be a header name in lower case')).default([]),
  session_meta: z.array(z.string().min(1)).default([]).describe('names in the _meta of a request'),
});
export type Assistant = z.infer<typeof Assistant>;

/** The file: every id once. */
export const AssistantList = z.strictObject({
  assistants: z.array(Assistant).refine((list) => new Set(list.map(({ id }) => id)).size === list.length, {
    error: 'an id stands there twice',
  }),
});
