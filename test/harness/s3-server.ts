/**
 * A real server of the S3 API for tests: `S3_TEST_ENDPOINT` with the keys and a bucket of its own, else s3proxy run by Java
 * from Maven's packages. Where there is neither, the reason is printed and the tests are skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BUCKET_KEYS, type BucketAccess } from './bucket.ts';
import { freePort } from './free-port.ts';
import { fetchLibraries, listening, works } from './kafka.ts';

const packages = {
  pom: resolve(import.meta.dirname, '../../deploy/s3/pom.xml'),
  libraries: resolve(import.meta.dirname, '../../node_modules/.cache/s3'),
};

export interface S3Server extends BucketAccess {
  stop(): Promise<void>;
}

/** The server of the environment. */
function givenServer(): S3Server | null {
  const { S3_TEST_ENDPOINT: endpoint, S3_TEST_BUCKET: bucket = 'clarity-test' } = process.env;
  if (!endpoint) return null;
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_REGION = 'us-east-1' } = process.env;
  const keys = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION };
  return { endpoint, bucket, keys, stop: async () => undefined };
}

/**
 * @param report receives a line before a long wait
 * @returns the reason when there is no server
 */
export async function startS3(
  report: (line: string) => void = () => undefined,
): Promise<S3Server | { readonly missing: string }> {
  const given = givenServer();
  if (given) return given;
  for (const program of ['java', 'mvn'])
    if (!(await works(program, '-version'))) return { missing: `no S3_TEST_ENDPOINT, no ${program}` };
  const unfetched = await fetchLibraries(packages, report);
  return unfetched ? { missing: `no S3_TEST_ENDPOINT, and Maven cannot fetch a server: ${unfetched}` } : javaServer();
}

/** Downloads the packages before test files would do so concurrently. */
export async function setup(): Promise<void> {
  if (givenServer()) return;
  // If the download fails, `startS3` reports it and the tests are skipped.
  if ((await works('java', '-version')) && (await works('mvn', '-version'))) await fetchLibraries(packages);
}

/** s3proxy on a folder, which checks signatures. */
async function javaServer(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'clarity-s3-'));
  const [bucket, port] = ['news', await freePort()];
  await mkdir(join(folder, 'data', bucket), { recursive: true });
  const settings = {
    's3proxy.endpoint': `http://127.0.0.1:${port}`,
    's3proxy.authorization': 'aws-v2-or-v4',
    's3proxy.identity': BUCKET_KEYS.AWS_ACCESS_KEY_ID,
    's3proxy.credential': BUCKET_KEYS.AWS_SECRET_ACCESS_KEY,
    // With filesystem-nio2 a listing fails with 500 while an upload that was cut off is removed.
    'jclouds.provider': 'filesystem',
    'jclouds.filesystem.basedir': join(folder, 'data'),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, 's3proxy.properties'), lines.join(''));
  // Without a level of its own it logs every line of its HTTP server.
  await writeFile(
    join(folder, 'logback.xml'),
    '<configuration><appender name="out" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%msg%n</pattern>' +
      '</encoder></appender><root level="warn"><appender-ref ref="out"/></root></configuration>',
  );
  const log = await open(join(folder, 'server.log'), 'a');
  const server: ChildProcess = spawn(
    'java',
    [
      '-Xmx192m',
      '-XX:+UseSerialGC',
      `-Dlogback.configurationFile=${join(folder, 'logback.xml')}`,
      '-cp',
      join(packages.libraries, '*'),
      'org.gaul.s3proxy.Main',
      '--properties',
      join(folder, 's3proxy.properties'),
    ],
    { stdio: ['ignore', log.fd, log.fd] },
  );
  await log.close();
  const gone = once(server, 'exit').then(async ([code]) => {
    throw new Error(`s3proxy ended with ${code}: ${await readFile(join(folder, 'server.log'), 'utf8')}`);
  });
  // Later it is stopped on purpose.
  gone.catch(() => undefined);
  await Promise.race([listening(port), gone]);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    keys: BUCKET_KEYS,
    stop: async () => {
      const ended = once(server, 'exit');
      if (server.kill('SIGKILL')) await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
