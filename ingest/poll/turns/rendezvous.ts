/** Rendezvous hashing: who of several members has a name, so that a member that comes or goes moves no other's names. */
import { createHash } from 'node:crypto';

const weight = (member: string, name: string): bigint =>
  createHash('sha1').update(`${member}\n${name}`).digest().readBigUInt64BE();

/**
 * The member that a name belongs to: the one that weighs most together with it.
 * @param members in any order
 * @returns null when there is none
 */
export function ownerOf(name: string, members: readonly string[]): string | null {
  let owner: string | null = null;
  let most = -1n;
  for (const member of members) {
    const weighed = weight(member, name);
    if (weighed < most || (weighed === most && owner !== null && member > owner)) continue;
    most = weighed;
    owner = member;
  }
  return owner;
}
