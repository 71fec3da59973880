/** `npm start -- --roster FILE`: the first polls, where some sources answer, one refuses and one does not respond. */
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { dataFolder } from '../harness/data-folder.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { type Outlets, startOutlets } from '../harness/outlets.ts';

let folder: string;
let outlets: Outlets;
let clarity: Clarity;
const odd = createServer((request, response) => {
  if (request.url === '/robots.txt') response.writeHead(404).end();
  else if (request.url === '/refuses') response.writeHead(403).end('no');
  // Anything else never gets a response.
});

beforeAll(async () => {
  folder = await dataFolder('clarity-live');
  outlets = await startOutlets(['daily-trade']);
  outlets.publish('daily-trade', {
    guid: 'zudio',
    title: 'Zudio opens 20,000 sq ft store at Phoenix Marketcity, Pune',
    summary: 'Zudio has opened a store in Pune.',
    published: new Date(),
  });
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
  const more = ['refuses', 'hangs'].map((id) => `  - { id: ${id}, outlet: ${id}, url: ${at}/${id} }\n`).join('');
  await writeFile(join(folder, 'live.yaml'), `${outlets.roster()}${more}`);
  const port = await freePort();
  clarity = startClarity(['up', '--roster', join(folder, 'live.yaml')], {
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    ALLOW_PRIVATE_SOURCES: '1',
  });
});
afterAll(async () => {
  await clarity.stop();
  await outlets.close();
  odd.closeAllConnections();
  odd.close();
  await rm(folder, { recursive: true, force: true });
});

describe('npm start -- --roster FILE', () => {
  it('given sources of which one refuses and one does not respond, then it prints the result of each with the reason', async () => {
    await eventually(() => expect(clarity.output()).toContain('1 source answered, 2 failed.'));
    const output = clarity.output();
    expect(output).toMatch(/\d\/3 {2}answered {2}daily-trade {2}1 items/);
    expect(output).toMatch(
      /\d\/3 {2}failed {4}refuses {2}got HTTP 403: forbidden: HTTP 403: the outlet refuses access/,
    );
    expect(output).toMatch(/3\/3 {2}failed {4}hangs {2}timed out: timeout: /);
    expect(output).toContain(`DATA_DIR=${join(folder, 'data')} npm run clarity -- sources list`);
    expect(output).not.toContain('demo newsroom');
  });
});
