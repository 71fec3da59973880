/** What work costs, by the processor: what others do on the machine meanwhile counts for nothing. */

/** Starts counting for this thread. @returns what asks how many milliseconds of the processor it took since */
export function processorTime(): () => number {
  const began = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1_000;
  };
}
