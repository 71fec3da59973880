/** MCP over real HTTP on read models that a real projector fills, with access, limits and sign-in as in service. */
import { migrateAccess, openAccess } from '../../access/access.ts';
import { mountIssuer, openEmbeddedIssuer } from '../../access/embedded-issuer.ts';
import { toolCalls } from '../../access/quota/tool-calls.ts';
import { type SignInSettings, signInOf } from '../../access/sign-in.ts';
import { mcpSurface } from '../../mcp/mcp-surface.ts';
import { type AnyTool, createNameLookup } from '../../mcp/tool.ts';
import type { Assistant } from '../../schemas/access.ts';
import type { Catalogue } from '../../schemas/catalogue.ts';
import { type Serving, serving } from '../api/serving.ts';
import { accountKey, type KeyOptions } from '../harness/account-key.ts';
import { freePort } from '../harness/free-port.ts';
import { CATALOGUE } from './small-record.ts';

export interface ServingMcp {
  readonly site: Serving;
  readonly baseUrl: string;
  /** Issues a key as an operator would. */
  key(options?: KeyOptions): Promise<string>;
  /** Sets what a window holds, such as `mcp ip 127.0.0.1 day`, running until a moment. */
  spend(window: string, used: number, endsAt: Date): Promise<void>;
  forgetCalls(): Promise<void>;
  close(): Promise<void>;
}

export interface McpServing {
  readonly assistants?: readonly Assistant[];
  readonly catalogue?: Pick<Catalogue, 'brands' | 'themes' | 'groups' | 'cities' | 'malls'>;
  readonly tools?: readonly AnyTool[];
  /** False where signing in is off. */
  readonly signIn?: boolean;
  /** The network address of the client, given by a trusted proxy. */
  readonly proxied?: boolean;
}

const MODELS = ['accounts', 'brands', 'search', 'names', 'openings', 'appointments', 'results'];

/** Starts with an empty record. */
export async function servingMcp(options: McpServing = {}): Promise<ServingMcp> {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const settings: SignInSettings = { BASE_URL: baseUrl, ...(options.signIn !== false && { HOST: '127.0.0.1' }) };
  const catalogue = options.catalogue ?? CATALOGUE;
  const site = await serving({
    baseUrl,
    models: MODELS,
    catalogue,
    ...(options.proxied && { proxies: '1' }),
    access: (database) => openAccess({ database, configuration: settings, remember: 100 }),
    async issuer(database) {
      await migrateAccess(database);
      const issuer = await openEmbeddedIssuer(database, baseUrl, () => undefined);
      return { issuer, mounted: mountIssuer(issuer, baseUrl) };
    },
    surfaces: ({ database, access, clock }) => [
      mcpSurface({
        context: { ...createNameLookup(catalogue), database, baseUrl, now: clock },
        identify: access.identify,
        calls: toolCalls(database, options.assistants ?? []),
        signIn: signInOf(settings),
        ...(options.tools && { tools: options.tools }),
      }),
    ],
  });
  await site.server.listen({ port, host: 'localhost' });
  const { database, store } = site.engine;
  return {
    site,
    baseUrl,
    key: (options) => accountKey({ database, store, now: () => new Date() }, options),
    async spend(window, used, endsAt) {
      await database.query(
        `INSERT INTO access.quota_window VALUES ($1, $2, $3)
         ON CONFLICT (key) DO UPDATE SET used = EXCLUDED.used, ends_at = EXCLUDED.ends_at`,
        [window, used, endsAt],
      );
    },
    forgetCalls: async () => void (await database.query('DELETE FROM access.quota_window')),
    close: () => site.close(),
  };
}
