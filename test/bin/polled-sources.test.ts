import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contactOf, openRoster, readsDemo, rosterSettings } from '../../bin/polled-sources.ts';
import { userAgent } from '../../ingest/poll/poller.ts';
import { loadRoster } from '../../ingest/roster/roster.ts';
import { changeSource } from '../../ingest/roster/source-commands.ts';
import manifest from '../../package.json' with { type: 'json' };
import { readConfiguration } from '../../schemas/configuration.ts';
import { dataFolder } from '../harness/data-folder.ts';
import { freePort } from '../harness/free-port.ts';
import { sourceId } from '../harness/ids.ts';
import { type Engine, testEngine } from '../projector/engine.ts';

const agentWith = (environment: Record<string, string>): string => userAgent(contactOf(readConfiguration(environment)));

describe('the User-Agent', () => {
  it.each([
    ['CONTACT as an e-mail address', { CONTACT: 'desk@example.com', OPERATORS: 'a@b.in' }, '+mailto:desk@example.com'],
    ['CONTACT as a web address', { CONTACT: 'https://example.com/bot' }, '+https://example.com/bot'],
    ['OPERATORS alone', { OPERATORS: 'a@b.in, c@d.in', BASE_URL: 'https://clarity.example' }, '+mailto:a@b.in'],
    ['a public BASE_URL alone', { BASE_URL: 'https://localhost.example' }, '+https://localhost.example'],
  ])('given %s, then it names the release and that address', (_name, environment, contact) => {
    expect(agentWith(environment)).toBe(`Clarity/${manifest.version} (retail news reader; ${contact})`);
  });

  it('given only a loopback address, then it names the release alone', () => {
    for (const BASE_URL of ['', 'http://127.0.0.1:8080', 'http://[::1]:8080'])
      expect(agentWith({ BASE_URL })).toBe(`Clarity/${manifest.version} (retail news reader)`);
  });

  it('given an address that would break the header, then that part of it is left out', () => {
    expect(userAgent('https://example.com/(bot)\r\nX: 1')).toBe(
      `Clarity/${manifest.version} (retail news reader; +https://example.com/botX:1)`,
    );
  });

  it('given a CONTACT that is no address, then the configuration is refused with what is allowed', () => {
    expect(() => readConfiguration({ CONTACT: 'call us' })).toThrow(/CONTACT.*e-mail address or an http/);
  });
});

const now = (): Date => new Date('2026-11-20T12:00:00Z');

describe('rosterSettings', () => {
  it.each([
    ['india', '.data/india', /deploy\/roster\.india\.yaml$/],
    ['deploy/roster.india.yaml', '.data/roster-india', /^deploy\/roster\.india\.yaml$/],
  ])('given --roster %s, then its record is in %s', async (named, folder, file) => {
    const settings = await rosterSettings(named, {});
    expect(settings.DATA_DIR).toBe(folder);
    expect(settings.ROSTER).toMatch(file);
  });

  it('given a data directory in the environment, then it stays', async () => {
    expect((await rosterSettings('india', { DATA_DIR: '/srv/clarity' })).DATA_DIR).toBe('/srv/clarity');
  });

  it('given a file named like the record of the demo, then its record is elsewhere', async () => {
    const folder = await dataFolder('clarity-roster');
    await writeFile(join(folder, 'postgres.yaml'), 'sources: []\n');
    const { DATA_DIR } = await rosterSettings(join(folder, 'postgres.yaml'), {});
    await rm(folder, { recursive: true });
    expect(DATA_DIR).toBe('.data/roster-postgres');
  });

  it('given no such file, then it is refused', async () => {
    await expect(rosterSettings('nothing.yaml', {})).rejects.toThrow('there is no such file');
  });
});

describe('openRoster', () => {
  let engine: Engine;
  let folder: string;
  let roster: string;
  beforeEach(async () => {
    [engine, folder] = await Promise.all([testEngine(), dataFolder('clarity-roster')]);
    roster = join(folder, 'mine.yaml');
    await writeFile(roster, 'sources:\n  - { id: paper, outlet: Paper, url: "https://paper.example/feed" }\n');
  });
  afterEach(async () => {
    await engine.close();
    await rm(folder, { recursive: true });
  });

  const open = async (settings: Record<string, string>) => {
    const configuration = readConfiguration({ DATA_DIR: folder, DEMO_PORT: String(await freePort()), ...settings });
    const opened = await openRoster({ configuration, store: engine.store, now });
    await opened.close();
    return opened.about;
  };
  const ids = async () => [...(await loadRoster(engine.store)).roster.keys()];

  it('given a record of the demo newsroom, when a roster is opened on it, then it is refused and nothing changes', async () => {
    await open({});
    const before = await ids();
    await expect(open({ ROSTER: roster })).rejects.toThrow(
      `was filled from the demo newsroom, and invented stories are never mixed with real ones. Start with "npm start -- --roster ${roster}"`,
    );
    expect(await ids()).toEqual(before);
  });

  it('given a record of a roster, when no roster is set, then its sources are read and not the demo', async () => {
    await open({ ROSTER: roster });
    expect(await open({})).toBe('1 sources of the last start (ROSTER is not set)');
    expect(await readsDemo(engine.store)).toBe(false);
  });

  it('given a record of sources that were all retired, then the demo newsroom is refused', async () => {
    await open({ ROSTER: roster });
    await changeSource(engine.store, { do: 'retire', id: sourceId('paper') }, { by: 'asha', why: 'closed' }, now);
    await expect(open({})).rejects.toThrow('has stories of real sources, which were all retired');
    expect(await ids()).toEqual(['paper']);
  });
});
