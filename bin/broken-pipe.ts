/** What a command does when the reader of its output has gone, as in `clarity sources list | head`. */

/**
 * Drops further output of this process instead of ending it with a stack trace. The work goes on: a command that is
 * changing something must not stop half-way because nobody reads what it prints.
 * @throws any other error of the streams, as an uncaught exception
 */
export function tolerateBrokenPipe(streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}
