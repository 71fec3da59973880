/** A proxy to a server that can drop, refuse or delay connections. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface ProxyServer {
  readonly port: number;
  /** Ends all connections; new ones are accepted. */
  cut(): void;
  /** Refuses connections, or accepts them again. */
  close(closed: boolean): void;
  /** Milliseconds by which every response of the server is delayed. */
  delay: number;
  stop(): Promise<void>;
}

/** @param target port on loopback; another server may take it while the proxy runs */
export async function startProxy(target: number): Promise<ProxyServer> {
  const sockets = new Set<Socket>();
  let closed = false;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (closed) return void client.destroy();
    const upstream = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (proxy.delay === 0) return void client.write(chunk);
      // Chunks keep their order, because all have the same delay.
      const late = proxy.delay;
      setTimeout(() => client.write(chunk), late);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: ProxyServer = {
    port: (server.address() as AddressInfo).port,
    cut,
    close(shut) {
      closed = shut;
      if (shut) cut();
    },
    delay: 0,
    async stop() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
  return proxy;
}
