/** A worker thread that receives SVG and sends back PNG, one picture after the other. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { FAMILY, faceFiles } from './draw.ts';

/** The answer of the thread; request and answer have the number of the picture. */
export interface Painted {
  readonly number: number;
  /** Null when the drawing is not readable. */
  readonly png: Uint8Array | null;
}
export interface ToPaint {
  readonly number: number;
  readonly svg: string;
}

await initWasm(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')));
const fontBuffers = Object.values(faceFiles());

function paint(svg: string): Uint8Array | null {
  try {
    const drawing = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: FAMILY } });
    const picture = drawing.render();
    const png = picture.asPng();
    // WebAssembly memory is not garbage-collected.
    picture.free();
    drawing.free();
    return png;
  } catch {
    // The thread that asked for the picture gets null, and rejects the request.
    return null;
  }
}

parentPort?.on('message', ({ number, svg }: ToPaint) => {
  parentPort?.postMessage({ number, png: paint(svg) } satisfies Painted);
});
