/** The connection string of an event store, read before its client does: the client would print it, password and all. */
import { EventStoreUnavailable } from './errors.ts';

export interface Address {
  /** As the client takes it. */
  readonly connectionString: string;
  /** Scheme and hosts alone, which may be shown to anybody. */
  readonly shown: string;
  /** A text without the password, in whatever form it stood there. */
  hide(text: string): string;
}

const SCHEMES = new Map([
  ['esdb', 'esdb'],
  ['esdb+discover', 'esdb+discover'],
  ['kurrentdb', 'esdb'],
  ['kurrentdb+discover', 'esdb+discover'],
]);
/** In the client's comparison: without case, hyphens and underscores. */
const OPTIONS = new Set(
  [
    ...['tls', 'tlsCAFile', 'userCertFile', 'userKeyFile', 'connectionName', 'nodePreference', 'defaultDeadline'],
    ...['maxDiscoverAttempts', 'discoveryInterval', 'gossipTimeout', 'keepAliveInterval', 'keepAliveTimeout'],
  ].map(flat),
);
const FORM =
  /^(?<scheme>[a-z+]+):\/\/(?:(?<user>[^:@/]+):(?<password>[^@]*)@)?(?<hosts>[^@/?]+)\/?(?:\?(?<query>.*))?$/;
const HOST = /^[A-Za-z0-9._-]+(?::\d{1,5})?$/;

function flat(option: string): string {
  return option.toLowerCase().replace(/[-_]/g, '');
}

const refuse = (why: string): never => {
  throw new EventStoreUnavailable(
    `EVENTSTORE_URL ${why}; it has the form esdb://user:password@host:2113?tls=true, ` +
      'with several hosts separated by commas, or esdb+discover:// and one name of a cluster',
    true,
  );
};

/**
 * Reads `esdb://`, `esdb+discover://` and the same with `kurrentdb`.
 * @throws EventStoreUnavailable saying what is wrong, never showing the password
 */
export function readAddress(url: string): Address {
  const parts = FORM.exec(url.trim())?.groups ?? refuse('cannot be read');
  const { scheme = '', user, password, hosts = '', query } = parts;
  const spoken = SCHEMES.get(scheme) ?? refuse(`begins with ${scheme}://, which is no scheme of an event store`);
  for (const host of hosts.split(',')) if (!HOST.test(host)) refuse(`has the host "${host}"`);
  for (const pair of query?.split('&') ?? []) {
    const [option = ''] = pair.split('=', 1);
    if (flat(option) === 'tlsverifycert')
      refuse('has the option tlsVerifyCert, which the client lacks: name the certificate by tlsCAFile');
    if (!OPTIONS.has(flat(option))) refuse(`has the unknown option "${option}"`);
  }
  const credentials = user === undefined ? '' : `${user}:${password}@`;
  const secrets = password ? [...new Set([password, decoded(password), credentials.slice(0, -1)])] : [];
  return {
    connectionString: `${spoken}://${credentials}${hosts}${query ? `?${query}` : ''}`,
    shown: `${scheme}://${hosts}`,
    hide: (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text),
  };
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return refuse('has a password with a % that encodes nothing (write it as %25)');
  }
}
