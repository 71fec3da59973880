import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems choose for connections and for servers that name none (from 32,768 or 49,152 on): of those, one
 * that is free now is taken by any process a moment later, before the server that it was for has started.
 */
const [FIRST, LAST] = [10_000, 32_767];

/** A port on loopback that is free, and stays so unless somebody asks for that very one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    const server = createServer().listen(port, '127.0.0.1');
    // An error where it is taken.
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
