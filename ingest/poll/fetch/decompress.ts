/** Bodies are unpacked as they arrive and cut off at a size, so that a small bomb cannot become a large one. */
import type { Readable, Transform } from 'node:stream';
import zlib from 'node:zlib';
import { PollError } from '../poll-error.ts';

const MOST_LAYERS = 3;

/** A truncated body gives what came, as readers of feeds do; so flush, do not insist on the end. */
function unpacker(coding: string): Transform | null {
  const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  switch (coding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(lenient);
    case 'deflate':
      return zlib.createInflate(lenient);
    case 'br':
      return zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH });
    case 'zstd':
      return zlib.createZstdDecompress();
    case '':
    case 'identity':
      return null;
    default:
      if (isNoCoding(coding.trim())) return null;
      throw new PollError(
        'unknown_encoding',
        `the answer is packed as ${JSON.stringify(coding)}, which nobody asked for`,
      );
  }
}

/** Some servers write a character set or another word where a coding belongs; nothing is packed then. */
function isNoCoding(name: string): boolean {
  if (/^(?:none|null|binary|plain|[78]bit|text\/[a-z]+)$/i.test(name)) return true;
  try {
    return new TextDecoder(name).encoding.length > 0;
  } catch {
    return false;
  }
}

/**
 * The unpacked body.
 * @param encoding the header Content-Encoding
 * @param maximum most bytes, counted after unpacking
 * @throws PollError too_large, unknown_encoding, bad_compression
 */
export async function readBody(body: Readable, encoding: string, maximum: number): Promise<Buffer> {
  const codings = encoding.split(',').reverse();
  if (codings.length > MOST_LAYERS)
    throw new PollError('unknown_encoding', `the answer is packed ${codings.length} times over`);
  let packed = await collect(body, maximum);
  for (const coding of codings) packed = await unpack(packed, coding, maximum);
  // A file that is packed itself, such as sitemap.xml.gz.
  if (packed[0] === 0x1f && packed[1] === 0x8b) packed = await unpack(packed, 'gzip', maximum);
  return packed;
}

async function unpack(packed: Buffer, coding: string, maximum: number): Promise<Buffer> {
  // Some servers send deflate without its zlib header, whose low four bits would be 8.
  const raw = coding.trim().toLowerCase() === 'deflate' && ((packed[0] ?? 8) & 0x0f) !== 8;
  const transform = raw ? zlib.createInflateRaw({ finishFlush: zlib.constants.Z_SYNC_FLUSH }) : unpacker(coding);
  if (!transform || packed.length === 0) return packed;
  transform.end(packed);
  try {
    return await collect(transform, maximum);
  } catch (error) {
    if (error instanceof PollError) throw error;
    throw new PollError('bad_compression', `the answer says that it is packed as ${coding.trim()}, but it is not`);
  }
}

async function collect(stream: Readable, maximum: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maximum) {
      stream.destroy();
      throw new PollError('too_large', `the answer has more than ${Math.round(maximum / 1_048_576)} MiB`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
