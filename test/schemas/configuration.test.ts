import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  Configuration,
  daysOfTopic,
  REMOVED_SETTINGS,
  readConfiguration,
  removedSettings,
  searchNodes,
} from '../../schemas/configuration.ts';
import { certificate } from '../harness/certificate.ts';

describe('TOPIC_RETENTION_DAYS', () => {
  it.each([
    ['', { items: 90, polls: 90 }],
    ['0', { items: 0, polls: 0 }],
    ['30', { items: 30, polls: 30 }],
    ['90,items=400,polls=14.5', { items: 400, stories: 90, polls: 14.5 }],
    [' polls = 0 , 7 ', { items: 7, polls: 0 }],
    ['stories=1', { items: 90, stories: 1 }],
  ])('given %j, then each topic has its days', (text, expected) => {
    const days = readConfiguration({ TOPIC_RETENTION_DAYS: text }).TOPIC_RETENTION_DAYS;
    expect(Object.fromEntries(Object.keys(expected).map((topic) => [topic, daysOfTopic(days, topic)]))).toEqual(
      expected,
    );
  });

  it.each(['-1', 'ten', 'items', 'items=', 'orders=3', 'items=1,items=2', '3,4', '40000'])(
    'given %j, then the error names the part and what is allowed',
    (text) => {
      expect(() => readConfiguration({ TOPIC_RETENTION_DAYS: text })).toThrow(
        /TOPIC_RETENTION_DAYS: .* must be days from 0 to 36500, or a topic with its days \(items, stories, polls\)/,
      );
    },
  );
});

describe('settings of earlier releases', () => {
  it('given an environment that still sets some, then each that is set is named', () => {
    const removed = ['OLD_ONE', 'OLD_TWO', 'OLD_THREE'];
    expect(removedSettings({ OLD_ONE: '4', OLD_TWO: '', PORT: '80' }, removed)).toEqual([
      'OLD_ONE has no effect since 2.0',
    ]);
  });

  it('then none of them is a setting of this release', () => {
    expect(REMOVED_SETTINGS.filter((name) => name in Configuration.shape)).toEqual([]);
  });
});

describe('SEARCH_URL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clarity-ca-'));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, certificate().certificate);
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['http://one:9200', { nodes: ['http://one:9200'], prefix: 'clarity', user: null }],
    [
      'https://reader:p%40ss%2C1@one:9200/retail, https://two:9200/retail/ ,https://three',
      {
        nodes: ['https://one:9200', 'https://two:9200', 'https://three'],
        prefix: 'retail',
        user: { username: 'reader', password: 'p@ss,1' },
      },
    ],
  ])('given %s, then its nodes share user, password and path', (text, expected) => {
    const { SEARCH_URL = '' } = readConfiguration({ SEARCH_URL: text });
    expect(searchNodes(SEARCH_URL)).toEqual(expected);
  });

  it.each([
    [{ SEARCH_URL: 'opensearch:9200' }, 'SEARCH_URL', 'it must be an http or https address'],
    [{ SEARCH_URL: 'https://one,ftp://two' }, 'SEARCH_URL', 'address 2 must be an http or https address'],
    [{ SEARCH_URL: 'https://u:secret,x@one' }, 'SEARCH_URL', 'in a password a comma is written %2C'],
    [{ SEARCH_URL: 'https://one/Two_words' }, 'SEARCH_URL', 'the path of it, if any, must be one word'],
    [{ SEARCH_URL: 'https://one?x=1' }, 'SEARCH_URL', 'it must have no query'],
    [{ SEARCH_URL: 'https://one,http://two' }, 'SEARCH_URL', 'all addresses must be http, or all https'],
    [{ SEARCH_URL: 'https://u:secret@one,https://v:secret@two' }, 'SEARCH_URL', 'must have one user and password'],
    [{ SEARCH_URL: 'https://one/a,https://two/b' }, 'SEARCH_URL', 'must have one path'],
    [{ SEARCH_URL: ' , ' }, 'SEARCH_URL', 'it must have an address'],
    [
      { SEARCH_URL: 'https://one', SEARCH_USERNAME: 'reader' },
      'SEARCH_USERNAME',
      'SEARCH_PASSWORD must be set with it',
    ],
    [
      { SEARCH_URL: 'https://one', SEARCH_PASSWORD: 'secret' },
      'SEARCH_PASSWORD',
      'SEARCH_USERNAME must be set with it',
    ],
    [
      { SEARCH_URL: 'https://u:secret@one', SEARCH_USERNAME: 'u', SEARCH_PASSWORD: 'secret' },
      'SEARCH_USERNAME',
      'SEARCH_URL has a user already',
    ],
    [
      { SEARCH_URL: 'https://one', SEARCH_CA_FILE: '/no/such.pem' },
      'SEARCH_CA_FILE',
      '"/no/such.pem" cannot be used: it must be a file with certificates in PEM',
    ],
    [
      { SEARCH_URL: 'https://one', SEARCH_CA_FILE: import.meta.filename },
      'SEARCH_CA_FILE',
      'it must be a file with certificates in PEM',
    ],
    [{ SEARCH_URL: 'http://one', SEARCH_CA_FILE: file }, 'SEARCH_CA_FILE', 'the addresses of SEARCH_URL must be https'],
  ])('given %j, then the error names %s and what is allowed, and shows no password', (settings, name, allowed) => {
    const read = () => readConfiguration(settings);
    expect(read).toThrow(`${name}: `);
    expect(read).toThrow(allowed);
    expect(read).not.toThrow(/secret/);
  });

  it('given a user by its own settings and certificates, then they are accepted', () => {
    const settings = { SEARCH_URL: 'https://one', SEARCH_USERNAME: 'u', SEARCH_PASSWORD: 'p', SEARCH_CA_FILE: file };
    expect(readConfiguration(settings)).toMatchObject(settings);
  });
});
