/** A proxy that can stop forwarding, like a network that drops everything: no side is notified. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface FreezingProxy {
  readonly port: number;
  /** The address of a server, through the proxy. */
  through(url: string): string;
  /** Stops forwarding, on old and new connections. */
  freeze(): void;
  stop(): Promise<void>;
}

/** @param url of a server on loopback, such as `postgres://…` */
export async function startFreezingProxy(url: string): Promise<FreezingProxy> {
  const target = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  let frozen = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer({ pauseOnConnect: true }, (client) => {
    keep(client);
    if (frozen) return;
    const upstream = connect(target, '127.0.0.1');
    keep(upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (chunk) => void (frozen || to.write(chunk)));
      // While frozen, not even a closed connection is forwarded.
      from.on('close', () => void (frozen || to.destroy()));
    }
    client.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    through: (address) => Object.assign(new URL(address), { port: String(port) }).href,
    freeze() {
      frozen = true;
    },
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
