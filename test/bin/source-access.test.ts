import { describe, expect, it } from 'vitest';
import { contactOf } from '../../bin/source-access.ts';
import { userAgent } from '../../ingest/poll/poller.ts';
import manifest from '../../package.json' with { type: 'json' };
import { readConfiguration } from '../../schemas/configuration.ts';

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
