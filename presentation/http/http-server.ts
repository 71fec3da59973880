/**
 * Which proxies are believed when they tell where a request comes from: so many hops from the socket, or a list of
 * addresses; nobody when unset. In the form that the server takes.
 */
export function proxyTrust(setting: string | undefined): false | string | ((address: string, hop: number) => boolean) {
  if (setting === undefined) return false;
  return /^\d+$/.test(setting) ? (_address, hop) => hop < Number(setting) : setting;
}
