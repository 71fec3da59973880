/** Responses that break HTTP, DNS or polite use. */
import zlib from 'node:zlib';
import { body, type Case, GOOD, raw, status } from './hostile-case.ts';

const METADATA = { address: '169.254.169.254', family: 4 };
const LOOPBACK = { address: '127.0.0.1', family: 4 };

/** The answers of the name server for some names, one after the other; the last one is repeated. */
export const LOOKUPS: Record<string, (readonly (typeof METADATA)[])[]> = {
  'metadata.example': [[METADATA]],
  'both.example': [[METADATA, LOOPBACK]],
  'changing.example': [[LOOPBACK], [METADATA]],
  'mapped.example': [[{ address: '::ffff:169.254.169.254', family: 6 }]],
  'good.example': [[LOOPBACK]],
};

const to = (location: string) => status(302, { location });

export const ANSWERS: readonly Case[] = [
  {
    name: 'a brotli bomb',
    answer: body(zlib.brotliCompressSync(Buffer.alloc(40 * 1_048_576)), { 'content-encoding': 'br' }),
    ends: 'too_large',
  },
  {
    name: 'bombs in one another',
    answer: body(zlib.gzipSync(zlib.gzipSync(Buffer.alloc(20 * 1_048_576))), { 'content-encoding': 'gzip, gzip' }),
    ends: 'too_large',
  },
  {
    name: 'packed over and over',
    answer: body(GOOD, { 'content-encoding': 'gzip, gzip, gzip, gzip' }),
    ends: 'unknown_encoding',
  },
  { name: 'an unknown packing', answer: body(GOOD, { 'content-encoding': 'zip' }), ends: 'unknown_encoding' },
  { name: 'a false packing', answer: body(GOOD, { 'content-encoding': 'gzip' }), ends: 'bad_compression' },
  {
    name: 'half a packing',
    answer: body(zlib.gzipSync(GOOD).subarray(0, -9), { 'content-encoding': 'gzip' }),
    ends: 1,
  },
  { name: 'no HTTP', answer: raw('SSH-2.0-OpenSSH_9.6\r\n'), ends: 'bad_answer' },
  {
    name: 'two lengths',
    answer: raw('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nhello'),
    ends: 'bad_answer',
  },
  {
    name: 'one length twice',
    answer: raw(`HTTP/1.1 200 OK\r\nContent-Length: ${GOOD.length}\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}`),
    ends: 1,
  },
  {
    name: 'a bad chunk',
    answer: raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n'),
    ends: 'bad_answer',
  },
  { name: 'a negative length', answer: raw('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'), ends: 'bad_answer' },
  {
    name: 'headers without end',
    answer: (request) => {
      request.socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => request.socket.write(`x-more: ${'y'.repeat(100)}\r\n`), 20);
      request.socket.on('close', () => clearInterval(drip)).on('error', () => undefined);
    },
    ends: 'timeout',
  },
  {
    name: 'a thousand cookies',
    answer: body(GOOD, { 'set-cookie': Array.from({ length: 900 }, (_, n) => `c${n}=${'x'.repeat(20)}`) }),
    ends: 1,
  },
  {
    name: 'a trouble without end',
    answer: (_request, response) => {
      response.writeHead(500);
      const more = (): void => void response.write('x'.repeat(65_536), more);
      more();
      response.on('error', () => undefined);
    },
    ends: 'too_large',
  },
  { name: 'gone', answer: status(410), ends: 'gone' },
  { name: 'a password', answer: status(401, { 'www-authenticate': 'Basic realm="x"' }), ends: 'forbidden' },
  { name: 'a teapot', answer: status(418), ends: 'unexpected_status' },
  {
    name: 'an invented status',
    answer: raw('HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n'),
    ends: 'unexpected_status',
  },
  {
    name: '304 with a body',
    answer: raw(`HTTP/1.1 304 Not Modified\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}`),
    ends: 'unexpected_status',
  },
  {
    name: 'a redirect to a mapped metadata address',
    answer: to('http://[::ffff:169.254.169.254]/'),
    ends: 'address_refused',
  },
  { name: 'a redirect to a decimal metadata address', answer: to('http://2852039166/'), ends: 'address_refused' },
  {
    name: 'a redirect to an octal metadata address',
    answer: to('http://0251.0376.0251.0376/'),
    ends: 'address_refused',
  },
  { name: 'a redirect to a link-local address', answer: to('http://[fe80::1]/'), ends: 'address_refused' },
  { name: 'a redirect to a closed port', answer: to('http://127.0.0.1:1/'), ends: 'connection_refused' },
  { name: 'a redirect to no name', answer: to('http://nowhere.invalid/'), ends: 'name_not_found' },
  { name: 'a redirect to no address', answer: to('http://[::1'), ends: 'bad_address' },
  { name: 'a redirect to FTP', answer: to('ftp://127.0.0.1/feed'), ends: 'bad_address' },
  { name: 'a redirect to another name of metadata', answer: to('http://metadata.example/'), ends: 'address_refused' },
  { name: 'a name that is metadata', answer: body(GOOD), host: 'metadata.example', ends: 'address_refused' },
  { name: 'a name that is metadata too', answer: body(GOOD), host: 'both.example', ends: 1 },
  { name: 'a name that changes its answer', answer: body(GOOD), host: 'changing.example', ends: 'address_refused' },
  { name: 'a name that is a mapped address', answer: body(GOOD), host: 'mapped.example', ends: 'address_refused' },
  {
    name: 'a robots.txt that disallows everything',
    answer: body(GOOD),
    robots: body('User-agent: *\nDisallow: /'),
    ends: 'robots_disallowed',
  },
  { name: 'robots in trouble', answer: body(GOOD), robots: status(503), ends: 'server_error' },
  {
    name: 'robots that are a bomb',
    answer: body(GOOD),
    robots: body(zlib.gzipSync(Buffer.alloc(20 * 1_048_576)), { 'content-encoding': 'gzip' }),
    ends: 1,
  },
  {
    name: 'robots of a million rules',
    answer: body(GOOD),
    robots: body(`User-agent: *\n${'Disallow: /*a*b*c*d$\n'.repeat(100_000)}`),
    ends: 1,
  },
];
