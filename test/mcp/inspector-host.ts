/** The Inspector's web host, fetched by npx, on ports of its own. */
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../harness/free-port.ts';

export interface InspectorHost {
  /** With the token that lets its page in. */
  readonly url: string;
  close(): Promise<void>;
}

/** @param target the endpoint that it connects to */
export async function inspectorHost(target: string): Promise<InspectorHost> {
  const home = await mkdtemp(join(tmpdir(), 'clarity-inspector-'));
  const words = ['--yes', '@modelcontextprotocol/inspector@2.12.0', '--web', target, '--transport', 'http'];
  const child = spawn('npx', words, {
    cwd: home,
    // npx starts others, which end with its group.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      HOME: home,
      CLIENT_PORT: String(await freePort()),
      MCP_SANDBOX_PORT: String(await freePort()),
      MCP_STORAGE_DIR: home,
      MCP_AUTO_OPEN_ENABLED: 'false',
      MCP_INSPECTOR_SECRET_STORE: 'memory',
      npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? home, '.npm'),
    },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const match = /http:\/\/127\.0\.0\.1:\d+\?MCP_INSPECTOR_API_TOKEN=\w+/.exec(output);
      if (match) resolve(match[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then(() => reject(new Error(`the Inspector ended: ${output}`)));
  });
  return {
    url,
    async close() {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await ended;
    },
  };
}
