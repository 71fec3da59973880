/** The program of a child process that makes PNG of SVG. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { serveJobs } from '../../log/child-jobs.ts';
import { FAMILY, faceFiles } from './draw.ts';

await serveJobs(async () => {
  await initWasm(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')));
  const fontBuffers = Object.values(faceFiles());
  return (svg: string): Uint8Array => {
    const drawing = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: FAMILY } });
    const picture = drawing.render();
    const png = picture.asPng();
    // WebAssembly memory is not garbage-collected.
    picture.free();
    drawing.free();
    return png;
  };
});
