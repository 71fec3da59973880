/** Secrets in the headers of a source: the roster names them, the environment holds them. */
import type { Source } from '../../../schemas/source.ts';
import { PollError } from '../poll-error.ts';
import type { FetchPage } from './fetch-page.ts';

/** @returns the value of a setting such as `SOURCE_MINT_TOKEN`; undefined when it is not set */
export type SecretLookup = (name: string) => string | undefined;

/** A fetcher for further pages of a source: they get its headers where they are on its own origin. */
export function withSourceHeaders(fetchPage: FetchPage, source: Pick<Source, 'url' | 'headers'>): FetchPage {
  const { origin } = new URL(source.url);
  return (request) =>
    fetchPage(URL.parse(request.url)?.origin === origin ? { headers: source.headers, ...request } : request);
}

const REFERENCE = /\$\{(SOURCE_[A-Z0-9_]{1,80})\}/g;

/**
 * Puts the secrets in. Only settings whose names begin with `SOURCE_` can be named, so that who edits the roster cannot
 * send other secrets of the process to an address of their choice.
 * @throws PollError missing_secret, which names the setting and never a value
 */
export function withSecrets(
  headers: Readonly<Record<string, string>>,
  secrets: SecretLookup = () => undefined,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, template]) => [
      name,
      template.replace(REFERENCE, (_whole, setting: string) => {
        const value = secrets(setting);
        if (!value || !/^[\x20-\x7e]+$/.test(value))
          throw new PollError(
            'missing_secret',
            `the header ${name} needs the setting ${setting}, which is unset here or holds what no header can`,
          );
        return value;
      }),
    ]),
  );
}
