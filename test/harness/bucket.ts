/**
 * A server of one bucket that speaks the API of Amazon S3 as far as archives use it: signature version 4, PUT, GET and
 * ListObjectsV2 in pages.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsV4Signer } from 'aws4fetch';

export const BUCKET_KEYS = { AWS_ACCESS_KEY_ID: 'AKTEST', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'ap-south-1' };
const PAGE = 3;

export interface Bucket {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** Statuses that the next requests are refused with. */
  readonly failures: number[];
  close(): void;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Whether the request is signed with the keys: the signature is made again of what arrived. */
async function isSigned(request: IncomingMessage, url: string): Promise<boolean> {
  const { headers, method = '' } = request;
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const signer = new AwsV4Signer({
    url,
    method,
    service: 's3',
    region: BUCKET_KEYS.AWS_REGION,
    datetime: String(headers['x-amz-date']),
    accessKeyId: BUCKET_KEYS.AWS_ACCESS_KEY_ID,
    secretAccessKey: BUCKET_KEYS.AWS_SECRET_ACCESS_KEY,
    headers: signed.filter((name) => name !== 'host').map((name): [string, string] => [name, String(headers[name])]),
  });
  return (await signer.sign()).headers.get('authorization') === headers.authorization;
}

export async function startBucket(name: string): Promise<Bucket> {
  const objects = new Map<string, Buffer>();
  const failures: number[] = [];

  function list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const found = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = found.slice(0, PAGE);
    const rest =
      found.length > PAGE ? `<NextContinuationToken>${escaped(page.at(-1) ?? '')}</NextContinuationToken>` : '';
    const contents = page.map((key) => `<Contents><Key>${escaped(key)}</Key></Contents>`).join('');
    return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${rest !== ''}</IsTruncated>${contents}${rest}</ListBucketResult>`;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] | null = await request.toArray().catch(() => null);
    // The client is gone, and half an object is none.
    if (!parts) return;
    const body = Buffer.concat(parts);
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    const key = decodeURIComponent(url.pathname).slice(`/${name}/`.length);
    const refuse = (status: number, code: string) =>
      response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    const failure = failures.shift();
    if (failure !== undefined) return void refuse(failure, 'SlowDown');
    if (!(await isSigned(request, url.href))) return void refuse(403, 'SignatureDoesNotMatch');
    if (!url.pathname.startsWith(`/${name}`)) return void refuse(404, 'NoSuchBucket');
    if (request.method === 'PUT') {
      objects.set(key, body);
      return void response.end();
    }
    if (url.searchParams.get('list-type') === '2') return void response.end(list(url.searchParams));
    const stored = objects.get(key);
    if (!stored) return void refuse(404, 'NoSuchKey');
    response.end(stored);
  }

  const server: Server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { endpoint, objects, failures, close: () => server.close() };
}

export interface BucketAccess {
  readonly endpoint: string;
  readonly bucket: string;
  readonly keys: typeof BUCKET_KEYS;
}
