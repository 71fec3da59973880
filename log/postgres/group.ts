/** Groups in PostgreSQL: a member's claims are advisory locks on the session of its process, gone when that ends. */
import { createHash } from 'node:crypto';
import type { Group } from '../group.ts';
import type { Database } from './database.ts';
import { join } from './topics/membership.ts';

/** 48 bits of a name: as good as no two names of one group share them. */
const numberOf = (name: string): number => createHash('sha256').update(name).digest().readUIntBE(0, 6);

/** @param name of the group, such as `pollers` */
export const postgresGroup = (database: Database, name: string): Group => ({
  async join() {
    const member = await join(database, 'group', name);
    return {
      id: member.id,
      beat: member.beat,
      ended: member.ended,
      leave: member.leave,
      async claim(what) {
        const number = numberOf(what);
        return (await member.take(number)) ? () => member.give(number) : null;
      },
    };
  },
});
