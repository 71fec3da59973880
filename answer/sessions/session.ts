/** A session as its own events tell it. */
import { Turn } from '../../schemas/ask.ts';
import type { KnownEvent } from '../../schemas/events.ts';

export interface Session {
  readonly id: string;
  readonly slug: string;
  /** `acc_…`; null for a session without an owner. */
  readonly account: string | null;
  readonly is_public: boolean;
  readonly turns: readonly Turn[];
  /** Of its stream; -1 for a session that is not written yet. */
  readonly revision: number;
}

type Stored = KnownEvent & { readonly revision: number };

function evolve(session: Session | null, event: Stored): Session | null {
  const { revision } = event;
  if (event.type === 'SessionStarted') {
    const { session_id: id, slug, account_id: account } = event.data;
    return { id, slug, account, is_public: false, turns: [], revision };
  }
  // What follows an erasure belongs to nobody.
  if (!session || event.type === 'SessionErased') return null;
  if (event.type === 'QuestionAnswered')
    return { ...session, revision, turns: [...session.turns, Turn.parse(event.data)] };
  return { ...session, revision, is_public: event.type === 'SessionShared' };
}

/** The fold of a session's stream; null for a stream without a beginning. */
export const foldSession = (events: readonly Stored[]): Session | null => events.reduce(evolve, null);
