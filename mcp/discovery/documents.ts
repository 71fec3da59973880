/** What programs find before they connect. Pure. */
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { SignIn } from '../../access/sign-in.ts';
import { VERSION } from '../../schemas/configuration.ts';
import { DESCRIPTION, implementation, NAME, TITLE } from '../about.ts';

/** The revision without sessions, then those of 2025, which the same endpoint answers. */
export const PROTOCOL_VERSIONS: readonly string[] = [
  '2026-07-28',
  ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version >= '2025'),
];

const hostOf = (baseUrl: string): string => new URL(baseUrl).hostname;

/** The service's name as registries know names: its domain turned round, and `clarity`. */
export const registeredName = (baseUrl: string): string =>
  `${hostOf(baseUrl)
    .replace(/^\[|\]$/g, '')
    .replaceAll(':', '-')
    .split('.')
    .reverse()
    .join('.')}/${NAME}`;

const KEY_HEADER = {
  name: 'Authorization',
  description: 'Bearer and an API key, ck_live_…; without one 50 calls a day',
  isRequired: false,
  isSecret: true,
};

/** MCP Server Card (SEP-2127): identity and where to connect; tools are asked for at run time. */
export function serverCard(baseUrl: string, signIn: SignIn): Record<string, unknown> {
  const { icons } = implementation(baseUrl);
  const account = {
    type: 'streamable-http',
    url: `${baseUrl}/mcp/account`,
    supportedProtocolVersions: PROTOCOL_VERSIONS,
  };
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: registeredName(baseUrl),
    version: VERSION,
    title: TITLE,
    description: DESCRIPTION,
    websiteUrl: baseUrl,
    icons,
    remotes: [
      {
        type: 'streamable-http',
        url: `${baseUrl}/mcp`,
        headers: [KEY_HEADER],
        supportedProtocolVersions: PROTOCOL_VERSIONS,
      },
      ...(signIn.kind === 'off' ? [] : [account]),
    ],
  };
}

/** The manifest: what a client's configuration needs. */
export const manifest = (baseUrl: string, signIn: SignIn): Record<string, unknown> => ({
  name: NAME,
  title: TITLE,
  version: VERSION,
  description: DESCRIPTION,
  server_card: `${baseUrl}/mcp/server-card`,
  documentation: `${baseUrl}/developers`,
  protocol_versions: PROTOCOL_VERSIONS,
  mcpServers: { [NAME]: { type: 'http', url: `${baseUrl}/mcp` } },
  account:
    signIn.kind === 'off'
      ? null
      : { type: 'http', url: `${baseUrl}/mcp/account`, authorization_servers: [signIn.issuer] },
});

/** AI Catalog: what this host offers to programs. */
export const aiCatalog = (baseUrl: string): Record<string, unknown> => {
  const host = hostOf(baseUrl);
  return {
    specVersion: '1.0',
    host: { displayName: TITLE, identifier: host },
    entries: [
      {
        identifier: `urn:air:${host}:${NAME}`,
        displayName: TITLE,
        description: DESCRIPTION,
        version: VERSION,
        type: 'application/mcp-server-card+json',
        mediaType: 'application/mcp-server-card+json',
        url: `${baseUrl}/mcp/server-card`,
      },
      {
        identifier: `urn:air:${host}:${NAME}-api`,
        displayName: `${TITLE} API`,
        type: 'application/vnd.oai.openapi',
        mediaType: 'application/vnd.oai.openapi',
        url: `${baseUrl}/.well-known/openapi.yaml`,
      },
    ],
  };
};
