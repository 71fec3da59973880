/** Measures the processor time of work, independent of other load on the machine. */

/** Starts measuring this thread. @returns a function that gives the milliseconds of processor time since */
export function processorTime(): () => number {
  const began = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1_000;
  };
}
