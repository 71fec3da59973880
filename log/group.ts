/** A group of processes that share work: who is alive, and claims that only one of them holds at a time. */
export interface Group {
  /** Joins. @throws when the server cannot be reached */
  join(): Promise<Membership>;
}

export interface Membership {
  readonly id: string;
  /** Says that this member is alive; to be called about every second. @returns the ids of all living members, in order */
  beat(): Promise<string[]>;
  /** Takes what a name stands for. @returns what gives it back, or null while another member has it */
  claim(name: string): Promise<(() => Promise<void>) | null>;
  /** Resolves when the membership has ended, and all claims with it: another member may have them now. */
  readonly ended: Promise<void>;
  leave(): Promise<void>;
}
