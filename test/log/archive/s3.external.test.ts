/** The archive of events on a real server of the S3 API: the contract, and the commands of operators. */
import { afterAll, describe, expect, test, vi } from 'vitest';
import { seedEvents, signalHistory } from '../../../bench/generated-history.ts';
import { addReplay } from '../../../bin/commands/replay.ts';
import { ObjectStoreError } from '../../../log/archive/object-store.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { EVENTS } from '../../../operations/events.ts';
import { createRegistry } from '../../../projector/model-builds.ts';
import { runCommand } from '../../bin/run-command.ts';
import { bucketArchive } from '../../harness/bucket.ts';
import { logDatabase } from '../../harness/database.ts';
import { smallPartitions } from '../../harness/event-partitions.ts';
import { startS3 } from '../../harness/s3-server.ts';
import { guardedArchiveContract } from '../contract/event-archive.ts';
import { readToEnd } from '../contract/event-store.ts';

const server = await startS3((line) => process.stderr.write(`${line}\n`));

if ('missing' in server) {
  process.stderr.write(`the archive on a server of the S3 API is not tested: ${server.missing}\n`);
  describe('the archive on a server of the S3 API', () => {
    test.skip(`skipped: ${server.missing}`, () => undefined);
  });
} else {
  afterAll(() => server.stop());
  const archive = bucketArchive(server);

  describe('the archive on a server of the S3 API', () => {
    guardedArchiveContract(() => archive);

    test('given more objects than a page has, then all are listed, by prefix and in order; a missing one has the code of the server', async () => {
      const names = Array.from({ length: 1_010 }, (_, nth) => `many/${String(nth).padStart(6, '0')}.jsonl.gz`);
      for (let from = 0; from < names.length; from += 20)
        await Promise.all(names.slice(from, from + 20).map((name) => archive.objects.put(name, Buffer.from(name))));
      expect(await archive.objects.list('many/')).toEqual(names);
      expect(String(Buffer.from(await archive.objects.get(names[1_005] ?? '')))).toBe(names[1_005]);
      expect(await archive.objects.list('none/')).toEqual([]);
      await expect(archive.objects.get('many/none')).rejects.toThrow(ObjectStoreError);
      await expect(archive.objects.get('many/none')).rejects.toThrow(/404 NoSuchKey/);
    });

    test('given a log whose oldest ranges are on the server, then it is read and replayed as before, and without the archive after a restore', async () => {
      const it = await logDatabase();
      await createRegistry(it.database);
      await smallPartitions(it.database, 2_500);
      await seedEvents(it.database, signalHistory(9_000));
      const settings = {
        ARCHIVE_URL: `s3://${server.bucket}/clarity`,
        ARCHIVE_ENDPOINT: server.endpoint,
        ...server.keys,
      };
      const clarity = async (commands: Parameters<typeof runCommand>[0], ...words: string[]) => {
        for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
        const { code, output } = await runCommand(commands, [...words, '--json'], it.url);
        expect(code, output).toBe(0);
        return JSON.parse(output);
      };
      const plain = postgresEventStore(it.database);
      await clarity(addReplay, 'replay', 'signals');
      const before = await readToEnd(plain, [''], 0n, 1_000);

      const { partitions } = await clarity(EVENTS, 'events', 'archive', '--before', '2100-01-01');
      expect(partitions).toHaveLength(3);
      expect((await it.database.query("SELECT FROM log.event WHERE stream ^@ 'signal-'")).rowCount).toBe(1_501);

      // By pages that end within an object, and from within an archived range.
      const store = postgresEventStore(it.database, { objects: archive.objects });
      expect((await readToEnd(store, ['signal-'], 0n, 700)).events).toEqual(
        before.events.filter(({ stream }) => stream.startsWith('signal-')),
      );
      expect((await store.readAll({ after: 1_234n, limit: 2 })).events).toEqual(before.events.slice(1_234, 1_236));
      const equal = [{ model: 'signals', swapped: true, verification: { equal: true, differences: 0 } }];
      const archived = await clarity(addReplay, 'replay', 'signals', '--verify');
      expect(archived).toMatchObject(equal);
      expect(archived[0].verification.keys).toBeGreaterThan(2_000);
      vi.unstubAllEnvs();
      const alone = await runCommand(addReplay, ['replay', 'signals'], it.url);
      expect(alone).toMatchObject({ code: 2, output: expect.stringMatching(/set ARCHIVE_URL .*; its live rows stay/) });

      await clarity(EVENTS, 'events', 'restore', '--from', '0', '--to', '9000');
      expect((await readToEnd(plain, [''], 0n, 1_000)).events.slice(0, before.events.length)).toEqual(before.events);
      vi.unstubAllEnvs();
      const restored = await runCommand(addReplay, ['replay', 'signals', '--verify', '--json'], it.url);
      expect(JSON.parse(restored.output)).toMatchObject(equal);
      await plain.close();
      await store.close();
      await it.close();
    });
  });
}
