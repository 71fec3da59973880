/** What a person who runs the program is told when the event store cannot be used. */

/** No event store answers at the address, it refuses the credentials, or its address cannot be read. */
export class EventStoreUnavailable extends Error {
  override name = 'EventStoreUnavailable';
  /** True where a setting is wrong, such as a password: then waiting helps nobody. */
  readonly bySettings: boolean;
  constructor(message: string, bySettings = false) {
    super(message);
    this.bySettings = bySettings;
  }
}

/** The server takes less in one append than it was given. */
export class AppendTooLarge extends Error {
  override name = 'AppendTooLarge';
  /** @param most bytes that the server takes in one append */
  constructor(stream: string, most: number) {
    super(
      `the event store takes at most ${most} bytes in one append, and an append to ${stream} has more; ` +
        'raise MaxAppendSize of the server, to 15000000 for instance',
    );
  }
}
