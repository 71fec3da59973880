/** Requests to /mcp as a client of 2025 writes them, and what is read from their answers. */

type Message = {
  id?: unknown;
  result?: { isError?: boolean; content: { text: string }[]; contents?: object[]; _meta?: object };
  error?: { code: number; message: string };
};

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly messages: Message[];
}

/** Posts a body; the server is asked for at each request, as tests start theirs late. */
export const poster =
  (server: () => { readonly baseUrl: string }) =>
  async (body: unknown, headers: Record<string, string> = {}, path = '/mcp'): Promise<Posted> => {
    const answer = await fetch(`${server().baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...headers,
      },
      body:
        typeof body === 'string' || body instanceof Uint8Array ? (body as RequestInit['body']) : JSON.stringify(body),
    });
    const text = await answer.text();
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
    const events = isStream ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data ?? '') : text ? [text] : [];
    return { status: answer.status, headers: answer.headers, messages: events.map((one) => JSON.parse(one)) };
  };

export const LATEST = { name: 'latest_moves', arguments: { limit: 1 } };
export const call = (id: number, params: object = LATEST) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
export const from = (address: string, more: Record<string, string> = {}) => ({ 'x-forwarded-for': address, ...more });
export const saidBy = ({ messages }: Posted): string => messages[0]?.result?.content[0]?.text ?? '';
