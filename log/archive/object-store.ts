/** Where archives are stored: a bucket that speaks the API of Amazon S3, or a folder. */
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AwsClient } from 'aws4fetch';
import type { Configuration } from '../../schemas/configuration.ts';

/** The server did not store, list or return an object. */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
}

export interface ObjectStore {
  /** Resolves when the object is durable. One that has the name already is replaced. */
  put(name: string, content: Uint8Array): Promise<void>;
  /** @throws ObjectStoreError when there is none, or the server fails */
  get(name: string): Promise<Uint8Array>;
  /** The names that begin with a prefix, sorted. */
  list(prefix: string): Promise<string[]>;
}

type ArchiveSettings = Pick<
  Configuration,
  'ARCHIVE_ENDPOINT' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_REGION'
>;

/** Milliseconds until a request without an answer is given up. */
const TIMEOUT = 60_000;

/**
 * A bucket, addressed by path, as every server of the API accepts it
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html).
 */
function bucket({ host, pathname }: URL, settings: ArchiveSettings): ObjectStore {
  const {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
  } = settings;
  const endpoint = (settings.ARCHIVE_ENDPOINT ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '');
  // Callers retry with a backoff of their own.
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const folder = pathname.replace(/^\/+|\/+$/g, '');
  const inFolder = (name: string): string => (folder ? `${folder}/${name}` : name);

  async function request(what: string, address: string, init: RequestInit = {}): Promise<Response> {
    const answer = await client.fetch(`${endpoint}/${host}${address}`, {
      ...init,
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (answer.ok) return answer;
    const code = /<Code>(\w{1,80})<\/Code>/.exec((await answer.text()).slice(0, 10_000))?.[1] ?? 'no code';
    throw new ObjectStoreError(`${what} of the bucket ${host}: ${answer.status} ${code}`);
  }

  return {
    async put(name, content) {
      const init = { method: 'PUT', body: Buffer.from(content), headers: { 'content-type': 'application/gzip' } };
      await (await request(`storing ${name}`, `/${inFolder(name)}`, init)).body?.cancel();
    },
    get: async (name) => new Uint8Array(await (await request(`reading ${name}`, `/${inFolder(name)}`)).arrayBuffer()),
    async list(prefix) {
      // Loaded when it is used: every process that reads events imports this file.
      const { load } = await import('cheerio');
      const names: string[] = [];
      for (let token: string | undefined; ; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: inFolder(prefix) });
        if (token) query.set('continuation-token', token);
        const $ = load(await (await request('listing', `?${query}`)).text(), { xml: true });
        for (const key of $('Contents > Key').toArray()) names.push($(key).text().slice(inFolder('').length));
        token = $('NextContinuationToken').text() || undefined;
        if (!token) return names.sort();
      }
    },
  };
}

/** A folder, such as a mounted disk of another machine. */
function folderStore(root: string): ObjectStore {
  return {
    async put(name, content) {
      const path = join(root, name);
      await mkdir(dirname(path), { recursive: true });
      // Under another name until it is complete: a process that dies leaves no half an object.
      const file = await open(`${path}.tmp`, 'w');
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.tmp`, path);
    },
    get: (name) =>
      readFile(join(root, name)).catch((error: unknown) => {
        throw new ObjectStoreError(`reading ${name}: ${String(error)}`);
      }),
    async list(prefix) {
      const all = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      return all
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
        .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length))
        .filter((name) => name.startsWith(prefix))
        .sort();
    },
  };
}

/** @param address `s3://bucket/folder` or `file:///folder` */
export function openObjectStore(address: string, settings: ArchiveSettings): ObjectStore {
  const url = new URL(address);
  return url.protocol === 'file:' ? folderStore(fileURLToPath(url)) : bucket(url, settings);
}

/** The archive of the settings; undefined without one. */
export const archiveOf = (settings: ArchiveSettings & Pick<Configuration, 'ARCHIVE_URL'>): ObjectStore | undefined =>
  settings.ARCHIVE_URL === undefined ? undefined : openObjectStore(settings.ARCHIVE_URL, settings);
