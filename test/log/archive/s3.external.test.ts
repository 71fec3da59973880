/** The archive on a real server of the S3 API. */
import { afterAll, describe, expect, test } from 'vitest';
import { ObjectStoreError, openObjectStore } from '../../../log/archive/object-store.ts';
import { startS3 } from '../../harness/s3-server.ts';

const server = await startS3((line) => process.stderr.write(`${line}\n`));

if ('missing' in server) {
  process.stderr.write(`the archive on a server of the S3 API is not tested: ${server.missing}\n`);
  describe('the archive on a server of the S3 API', () => {
    test.skip(`skipped: ${server.missing}`, () => undefined);
  });
} else {
  afterAll(() => server.stop());
  const objects = openObjectStore(`s3://${server.bucket}/clarity`, {
    ...server.keys,
    ARCHIVE_ENDPOINT: server.endpoint,
  });

  describe('the archive on a server of the S3 API', () => {
    test('given more objects than a page has, then all are listed, by prefix and in order; a missing one has the code of the server', async () => {
      const names = Array.from({ length: 1_010 }, (_, nth) => `many/${String(nth).padStart(6, '0')}.jsonl.gz`);
      for (let from = 0; from < names.length; from += 20)
        await Promise.all(names.slice(from, from + 20).map((name) => objects.put(name, Buffer.from(name))));
      expect(await objects.list('many/')).toEqual(names);
      expect(String(Buffer.from(await objects.get(names[1_005] ?? '')))).toBe(names[1_005]);
      expect(await objects.list('none/')).toEqual([]);
      await expect(objects.get('many/none')).rejects.toThrow(ObjectStoreError);
      await expect(objects.get('many/none')).rejects.toThrow(/404 NoSuchKey/);
    });
  });
}
