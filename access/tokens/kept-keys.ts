/** Public keys that are found at first use. */
import type { JWTVerifyGetKey } from 'jose';

/** Finds the keys once and keeps them; when they cannot be found, the call fails and the next one tries again. */
export function keptKeys(find: () => Promise<JWTVerifyGetKey>): JWTVerifyGetKey {
  let known: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    known ??= find();
    const keys = await known.catch((error) => {
      known = undefined;
      throw error;
    });
    return keys(header, token);
  };
}
