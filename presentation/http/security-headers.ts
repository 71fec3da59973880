/** Headers that keep a browser from doing with an answer what it was not made for. */
import type { FastifyInstance } from 'fastify';

/** Pages run our own script file and load nothing from elsewhere; whatever a source's text smuggles in stays text. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Sets them on every answer.
 * @param baseUrl address that readers use: under https it also pins https
 */
export function securityHeaders(server: FastifyInstance, baseUrl: string): void {
  const secure = baseUrl.startsWith('https:');
  server.addHook('onSend', async (_request, reply, payload) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html');
    reply.headers({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      'cross-origin-opener-policy': 'same-origin',
    });
    if (!reply.hasHeader('content-security-policy'))
      reply.header('content-security-policy', isPage ? PAGE_POLICY : DATA_POLICY);
    if (secure) reply.header('strict-transport-security', 'max-age=31536000');
    return payload;
  });
}
