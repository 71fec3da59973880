/** Where programs learn at which issuer to sign in for a surface: OAuth 2.0 Protected Resource Metadata (RFC 9728). */
import type { FastifyPluginCallback } from 'fastify';
import type { SignIn } from '../sign-in.ts';

/** Address of the metadata of a surface, its path put behind the well-known one (section 3.1). */
export const resourceMetadata = (resource: string): string => {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
};

/** The metadata of a surface such as `https://clarity.example/mcp/account`. */
export const protectedResource = (resource: string, name: string, issuer: string): Record<string, unknown> => ({
  resource,
  resource_name: name,
  authorization_servers: [issuer],
  scopes_supported: ['read', 'ask'],
  bearer_methods_supported: ['header'],
});

/** Serves it for a surface; nothing where nobody can sign in. */
export const protectedResourceRoute =
  (resource: string, name: string, signIn: SignIn): FastifyPluginCallback =>
  (server, _options, done) => {
    if (signIn.kind !== 'off')
      server.get(new URL(resourceMetadata(resource)).pathname, async (_request, reply) =>
        reply.header('cache-control', 'public, max-age=3600').send(protectedResource(resource, name, signIn.issuer)),
      );
    done();
  };
