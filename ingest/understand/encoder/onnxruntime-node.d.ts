/** What is used of the native ONNX runtime: its package ships without declarations. */
declare module 'onnxruntime-node' {
  /** Values of one input or output, row by row. */
  export class Tensor {
    constructor(type: 'int64', data: BigInt64Array, dimensions: readonly number[]);
    readonly data: Float32Array;
  }
  export class InferenceSession {
    static create(
      file: string,
      options: {
        readonly intraOpNumThreads: number;
        readonly interOpNumThreads: number;
        readonly enableCpuMemArena: boolean;
      },
    ): Promise<InferenceSession>;
    /** Runs on the calling thread until it ends. @throws when an input is missing or has another shape */
    run(inputs: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
  }
}
