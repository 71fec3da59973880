/** The clauses of a sentence: which of its words are verbs, what is before and after each, and how far each is asserted. */
import type { Token } from './tokens.ts';
import { isWord, PREPOSITIONS, type Unit, unitsOf } from './units.ts';
import { canonical, EMPTY, EVENT_NOUNS, FINITE, METRICS, MODALS, type Modality, ROLES, VERBS } from './words.ts';

export const LINKS = new Set(
  'as after before while because since although though but whereas when if unless until whether'.split(' '),
);
const CONDITIONS = new Set(['if', 'unless', 'whether', 'until']);
const RELATIVE = new Set(['which', 'who', 'that']);
const BE = new Set(['is', 'are', 'was', 'were', 'be', 'been', 'being', 'gets', 'got']);
const HAVE = new Set(['has', 'have', 'had', 'having']);
export const AUXILIARY = new Set([...BE, ...HAVE, 'do', 'does', 'did', 'to', 'not']);
export const MODAL: Readonly<Record<string, Modality>> = {
  will: 'plan',
  would: 'plan',
  shall: 'plan',
  may: 'may',
  might: 'may',
  could: 'may',
  can: 'may',
  'expected-to': 'expected',
  'agreed-to': 'agreed',
  'talks-of': 'talks',
  allegedly: 'alleged',
  reportedly: 'may',
  possibly: 'may',
  probably: 'may',
  perhaps: 'may',
  likely: 'may',
};
const DETERMINERS = new Set(
  'a an the its their his her no this that these those first new another every each'.split(' '),
);
/** Adverbs inside a verb group that leave it as it is. */
const ADVERBS = new Set('also now recently already finally newly just formally'.split(' '));
export const DIRECTION: Readonly<Record<string, string>> = { up: 'rise', down: 'fall' };

/** A form of a verb that is no part of a name. */
export const isVerbForm = (token: Token | undefined): boolean =>
  token?.kind === 'word' &&
  !token.capital &&
  ((VERBS.has(token.low) && !VERBS.get(token.low)?.weak) || MODALS.has(token.low));
const SPEECH: ReadonlySet<string> = new Set(['said', 'denied', 'alleged', 'expected']);
const isSpeech = (low: string): boolean => SPEECH.has(MODALS.get(low)?.modality ?? '');

/** Whether the word at a place is a verb there; words such as `plan`, `order` and `fine` are nouns as well. */
function isVerb(tokens: readonly Token[], at: number, seen: boolean): boolean {
  const token = tokens[at];
  if (token?.kind !== 'word') return false;
  const [before, next] = [tokens[isWord(tokens[at - 1], ADVERBS) ? at - 2 : at - 1], tokens[at + 1]];
  if (DIRECTION[token.low])
    return (
      (next?.kind === 'figure' || isWord(next, new Set(['from', 'to', 'by', 'sharply', 'on']))) && !isVerbForm(before)
    );
  // `Q1 profit at ₹48 crore`
  if (token.low === 'at')
    return !seen && next?.kind === 'figure' && before?.kind === 'word' && METRICS.has(canonical(before.low));
  const form = VERBS.get(token.low)?.form ?? MODALS.get(token.low)?.form;
  if (form === undefined) return false;
  // Part of a name: `Maya Retail`.
  if (token.capital || token.joined) return false;
  if (token.low.includes('-')) return true;
  if (before?.owner || isWord(before, DETERMINERS) || before?.kind === 'figure') return isPassive(form, before, next);
  if (isWord(before, AUXILIARY) || (before?.kind === 'word' && MODAL[before.low] !== undefined)) return true;
  if (FINITE.has(token.low)) return true;
  // `Fire destroys warehouse`: a noun at the beginning, since a headline gives no orders.
  if (form === 'base' && at === 0 && isVerbForm(next)) return false;
  // `Kiri Foods and Bodhi Coffee form joint venture`: of several, in the headline's present.
  if (form === 'base' && !seen && before?.capital && isPlural(tokens, at))
    return !hasStrongVerb(clauseOf(tokens, at), at + 1);
  if (VERBS.get(token.low)?.weak && (form === 'base' || seen || !before?.capital || hasStrongVerb(tokens, at + 1)))
    return false;
  if (EVENT_NOUNS[token.low] && (form === 'base' || form === 'ing') && before?.kind === 'word' && seen) return false;
  if (before?.kind === 'word' && PREPOSITIONS.has(before.low))
    return form === 'ing' && ['by', 'after', 'before', 'while', 'of', 'from'].includes(before.low);
  // `for misleading claims`
  if (form === 's' && MODALS.has(token.low) && before?.kind === 'word' && isWord(tokens[at - 2], PREPOSITIONS))
    return false;
  // `a sales target`
  if (form === 'base' && MODALS.has(token.low) && before?.kind === 'word' && METRICS.has(canonical(before.low)))
    return false;
  if (form === 'base' && before?.kind === 'word' && !before.capital && !/s$/.test(before.low) && !isVerbForm(before))
    return before.low === 'and' || /ly$/.test(before.low);
  // `alleges Rasa Snacks withheld`: a clause of its own after a verb of speech.
  const speech = tokens.slice(0, at).some(({ kind, low, capital }) => kind === 'word' && !capital && isSpeech(low));
  if (form === 'ed' && seen && speech && before?.capital) return true;
  if (form === 'ed' && seen) return before === undefined || before.low === 'and' || isWord(next, new Set(['by']));
  if (isVerbForm(before) && !isCompound(tokens, at - 1) && form !== 'ing' && !/ly$/.test(before?.low ?? ''))
    return false;
  return true;
}

/** `average order value`: a word that is a verb in its base form elsewhere, and here a noun after a noun. */
function isCompound(tokens: readonly Token[], at: number): boolean {
  const [word, before] = [tokens[at], tokens[at - 1]];
  return (
    VERBS.get(word?.low ?? '')?.form === 'base' &&
    before?.kind === 'word' &&
    !before.capital &&
    !/s$/.test(before.low) &&
    !isVerbForm(before) &&
    !isWord(before, AUXILIARY) &&
    !isWord(before, PREPOSITIONS) &&
    MODAL[before.low] === undefined
  );
}

/** The tokens until the infinitive after a place. */
function clauseOf(tokens: readonly Token[], at: number): readonly Token[] {
  const to = tokens.findIndex(({ kind, low }, index) => index > at && kind === 'word' && low === 'to');
  return to < 0 ? tokens : tokens.slice(0, to);
}

/** Whether names joined by `and` are all that precedes a word. */
const isPlural = (tokens: readonly Token[], at: number): boolean =>
  tokens.slice(0, at).some(({ low }) => low === 'and') &&
  tokens.slice(0, at).every(({ kind, low, capital }) => kind === 'mark' || low === 'and' || capital);

/** Whether a word that is hardly ever a noun is a verb before the next punctuation mark. */
function hasStrongVerb(tokens: readonly Token[], from: number): boolean {
  for (let at = from; at < tokens.length && tokens[at]?.kind !== 'mark'; at++) {
    const token = tokens[at];
    if (isVerbForm(token) && !VERBS.get(token?.low ?? '')?.weak && !token?.joined && isVerb(tokens, at, false))
      return true;
  }
  return false;
}

/** After a determiner or a figure only a passive is a verb: `40 stores were`, `26% stake sold`; here `12% rise` is a noun. */
const isPassive = (form: string, before: Token | undefined, next: Token | undefined): boolean =>
  before?.kind !== 'figure' && form === 'ed' && isWord(next, new Set(['by']));

/** Verbs whose object does what the infinitive after them says. */
const CONTROL = new Set(['urge', 'direct', 'allow', 'warn']);

interface Piece {
  readonly tokens: readonly Token[];
  readonly link: string;
  readonly mark: string;
}

/** Cuts a sentence at punctuation, and at the words that begin a clause with a verb of its own. */
function piecesOf(tokens: readonly Token[]): Piece[] {
  const pieces: { tokens: Token[]; link: string; mark: string }[] = [{ tokens: [], link: '', mark: '' }];
  const verbAfter = (from: number): boolean => {
    for (let at = from; at < tokens.length && tokens[at]?.kind !== 'mark'; at++)
      if (isVerb(tokens, at, false) || (isWord(tokens[at], BE) && at > from)) return true;
    return false;
  };
  for (const [at, token] of tokens.entries()) {
    const current = pieces.at(-1);
    const has = current?.tokens.some((_, index) => isVerb(current.tokens, index, false)) ?? false;
    const conjunction =
      token.kind === 'word' &&
      (LINKS.has(token.low) || RELATIVE.has(token.low) || token.low === 'and') &&
      verbAfter(at + 1) &&
      (token.low !== 'and' || has) &&
      !(token.low === 'that' && isWord(tokens[at - 1], MODALS));
    if (token.kind === 'mark') pieces.push({ tokens: [], link: '', mark: token.low });
    else if (conjunction && current?.tokens.length === 0) current.link = token.low;
    else if (conjunction) pieces.push({ tokens: [], link: token.low, mark: '' });
    else current?.tokens.push(token);
  }
  return pieces.filter((piece) => piece.tokens.length > 0);
}

export interface Open {
  classes: readonly string[];
  verb: string;
  passive: boolean;
  negated: boolean;
  modality: Set<Modality>;
  speaker: readonly Unit[];
  subject: readonly Token[];
  lead: readonly Token[];
  post: Token[];
  link: string;
}

/** Index of the first verb at or after a place; -1 for none. A form of `be` or `have` counts where no other verb follows it. */
function verbFrom(tokens: readonly Token[], from: number, seen: boolean): number {
  for (let at = from; at < tokens.length; at++) {
    if (isVerb(tokens, at, seen)) return at;
    if (isWord(tokens[at], BE) || isWord(tokens[at], HAVE)) {
      let next = at + 1;
      while (isWord(tokens[next], AUXILIARY) || /ly$/.test(tokens[next]?.low ?? '')) next++;
      if (!isVerb(tokens, next, false) && !MODAL[tokens[next]?.low ?? '']) return at;
    }
    if (tokens[at]?.low === 'talks-of' && verbFrom(tokens, at + 1, seen) < 0) return at;
  }
  return -1;
}

/** Words of a verb group before the verb: where it begins, and what it says of the assertion. */
function groupBefore(tokens: readonly Token[], verb: number, from: number) {
  let start = verb;
  const modality = new Set<Modality>();
  let [negated, be, infinitive] = [false, false, false];
  for (let at = verb - 1; at >= from; at--) {
    const token = tokens[at];
    if (token?.kind !== 'word') break;
    const modal = MODAL[token.low];
    if (modal) modality.add(modal);
    else if (token.low === 'not') negated = !negated;
    else if (token.low === 'no' && at > from) negated = true;
    else if (BE.has(token.low)) be = true;
    else if (token.low === 'to') infinitive = true;
    else if (!AUXILIARY.has(token.low) && !ADVERBS.has(token.low)) break;
    start = at;
  }
  return { start, modality, negated, be, infinitive };
}

const withoutEmpty = (tokens: readonly Token[]): boolean =>
  tokens.some((token) => token.kind !== 'mark' && !(token.kind === 'word' && EMPTY.has(token.low)));

const PRONOUN = /^(?:it|he|she|they)$/;
const isPronoun = (tokens: readonly Token[]): boolean =>
  tokens.length > 0 &&
  tokens.every(({ low }) => PRONOUN.test(low) || /^(?:the|company|firm|retailer|brand|startup|maker)$/.test(low));

/** Reads the clauses of one sentence. */
export function readSentence(tokens: readonly Token[], sentence: number, known: readonly Token[]) {
  const open: Open[] = [];
  const pending: Token[] = [];
  let subject: readonly Token[] = known;

  const addVerb = (
    piece: readonly Token[],
    verb: number,
    from: number,
    link: string,
    before: Open | undefined,
  ): void => {
    const { start, modality, negated, be, infinitive } = groupBefore(piece, verb, from);
    const own = piece.slice(from, start);
    const word = piece[verb]?.low ?? '';
    const modal = MODALS.get(word);
    const next = verbFrom(piece, verb + 1, true);
    const stop = next < 0 ? piece.length : groupBefore(piece, next, verb + 1).start;
    const rest = piece.slice(verb + 1, stop);
    const form = VERBS.get(word)?.form ?? modal?.form ?? (BE.has(word) ? 's' : 's');
    const by = isWord(piece[verb + 1], new Set(['by']));
    const seated = VERBS.get(word)?.classes.some((name) => name === 'appoint' || name === 'promote') === true;
    // `has elevated COO Meera Iyer`: a seat before a name describes whom it happens to.
    const isTitle =
      isWord(piece[verb + 1], ROLES) && piece[verb + 2]?.capital === true && !isWord(piece[verb + 2], ROLES);
    const role =
      seated && !isTitle && (isWord(piece[verb + 1], ROLES) || isWord(piece[verb + 1], new Set(['to', 'as'])));
    const passive = form === 'ed' && !DIRECTION[word] && (be || (by && piece[verb + 2]?.kind !== 'figure') || role);
    const aside = own.findIndex(({ kind, low }) => kind === 'word' && PREPOSITIONS.has(low));
    const leadsOff = aside === 0 || (aside < 0 && isOnlyTimes(own));
    const noun = leadsOff ? [] : aside < 0 ? own : own.slice(0, aside);
    const lead = leadsOff ? own : aside < 0 ? [] : own.slice(aside);
    const named = withoutEmpty(noun) && !isPronoun(noun);
    const inherits = !named;
    const shared = before && inherits && !isPronoun(noun) && link !== 'relative';
    const statement: Open = {
      classes: DIRECTION[word]
        ? [DIRECTION[word]]
        : (BE.has(word) && !VERBS.has(word)) || word === 'at'
          ? ['be']
          : HAVE.has(word)
            ? ['have']
            : word === 'talks-of'
              ? ['talks']
              : (VERBS.get(word)?.classes ?? [modal?.modality ?? word]),
      verb: word,
      passive,
      negated,
      modality,
      speaker: before && !modal ? [] : [],
      subject: named ? [...noun] : subject,
      lead,
      post: [...rest],
      link: link === 'and' || link === 'relative' ? '' : link,
    };
    if (word === 'talks-of') statement.modality.add('talks');
    // `to open` after nothing else is a plan; after another verb, what it is for.
    if (infinitive && (!modal || next < 0) && before === undefined) statement.modality.add('plan');
    // `plans to open 25 stores and close 3`: the second verb is in the form of the first.
    if (shared && form === 'base' && !infinitive && (link === 'and' || link === '') && modality.size === 0)
      for (const each of before.modality) statement.modality.add(each);
    if (named) subject = noun;
    if (modal && next >= 0) {
      const group = groupBefore(piece, next, verb + 1);
      const between = piece.slice(verb + 1, group.start);
      const direct = !withoutEmpty(between) || isPronoun(between);
      const speaks = SPEECH.has(modal.modality);
      if (direct || speaks) {
        addVerb(piece, next, verb + 1, '', statement);
        const inner = open.at(-1);
        const complement = open.findLast((each) => each.post && each.verb === piece[next]?.low) ?? inner;
        if (complement) {
          // What is said to be planned is a plan: `says it plans to open`.
          if (!MODALS.has(piece[next]?.low ?? '')) complement.modality.delete('plan');
          if (group.modality.has('plan') && speaks) complement.modality.add('plan');
          if (group.infinitive && modal.modality !== 'plan') complement.modality.delete('plan');
          complement.modality.add(modal.modality);
          for (const each of modality) if (speaks || each !== 'plan') complement.modality.add(each);
          if (negated) complement.negated = !complement.negated;
          if (speaks) complement.speaker = unitsOf(statement.subject);
          if (!speaks || direct) complement.subject = statement.subject;
          complement.lead = [...statement.lead, ...complement.lead];
          complement.link = statement.link || complement.link;
        }
        return;
      }
    }
    open.push(statement);
    if (next < 0) return;
    const group = groupBefore(piece, next, verb + 1);
    const inner = piece.slice(verb + 1, group.start);
    if (VERBS.get(piece[next]?.low ?? '')?.form === 'ed' && !group.be && isWord(piece[next + 1], new Set(['by']))) {
      // `a round led by Garuda Partners`: the noun before it is what the verb acts on.
      const prep = inner.findLastIndex(({ kind, low }) => kind === 'word' && PREPOSITIONS.has(low));
      const keep = subject;
      subject = inner.slice(prep + 1);
      addVerb(piece, next, next, 'and', undefined);
      subject = keep;
      return;
    }
    if (group.infinitive) {
      const count = open.length;
      addVerb(piece, next, next, 'purpose', statement);
      for (const each of open.slice(count)) {
        each.link = 'purpose';
        each.negated ||= group.negated;
        // `urges the Centre to defer`: who is urged acts.
        each.subject =
          statement.classes.some((name) => CONTROL.has(name)) && !statement.passive ? rest : statement.subject;
      }
      return;
    }
    const count = open.length;
    addVerb(piece, next, next, 'and', statement);
    // `stops selling`, `avoids closing`: what the first verb says of the second is not known, except that it begins.
    if (VERBS.get(piece[next]?.low ?? '')?.form === 'ing' && inner.length === 0 && !statement.classes.includes('begin'))
      for (const each of open.slice(count)) each.modality.add('unreal');
  };

  for (const piece of piecesOf(tokens)) {
    const verb = verbFrom(piece.tokens, 0, false);
    const current = open.at(-1);
    if (verb >= 0) {
      const link = RELATIVE.has(piece.link) ? 'relative' : piece.link;
      if (link === 'relative' && current && piece.tokens.length > 0) {
        const prep = current.post.findLastIndex(({ kind, low }) => kind === 'word' && PREPOSITIONS.has(low));
        const last = current.post.slice(prep + 1);
        if (last.length > 0) subject = last;
      } else if (link === 'relative' && pending.length > 0) subject = pending.splice(0);
      // `closes ₹85 crore round, led by Pallu Capital`: the round is led.
      const isLed = verb === 0 && piece.mark === ',' && isWord(piece.tokens[1], new Set(['by']));
      if (isLed && current && VERBS.get(piece.tokens[0]?.low ?? '')?.classes.includes('lead')) {
        const prep = current.post.findLastIndex(({ kind, low }) => kind === 'word' && PREPOSITIONS.has(low));
        if (current.post.length > prep + 1) subject = current.post.slice(prep + 1);
      }
      const lead = pending.splice(0);
      const isLead = isWord(lead[0], PREPOSITIONS) || isOnlyTimes(lead);
      if (lead.length > 0 && !isLead) subject = lead;
      const { start } = groupBefore(piece.tokens, verb, 0);
      const whole = lead.length > 0 && !isLead && start > 0 ? [...lead, comma, ...piece.tokens] : piece.tokens;
      const count = open.length;
      const at = whole === piece.tokens ? verb : verb + lead.length + 1;
      addVerb(whole, at, 0, link, link === '' && piece.mark === '' ? undefined : current);
      const first = open[count];
      if (first && isLead) first.lead = [...lead, ...first.lead];
      continue;
    }
    if (!current) {
      if (pending.length > 0) pending.push(comma);
      pending.push(...piece.tokens);
      continue;
    }
    const copy = gapped(current, piece.tokens);
    if (copy) open.push(copy);
    else current.post.push(comma, ...(piece.link ? [wordToken(piece.link)] : []), ...piece.tokens);
  }
  // A condition holds for the whole sentence.
  if (open.some(({ link }) => CONDITIONS.has(link))) for (const each of open) each.modality.add('if');
  return { open, pending, subject, sentence };
}

const comma: Token = { kind: 'mark', low: ',', capital: false, owner: false, joined: false };
const wordToken = (low: string): Token => ({ ...comma, kind: 'word', low });
const isOnlyTimes = (tokens: readonly Token[]): boolean =>
  tokens.length > 0 && tokens.every(({ kind, low }) => kind === 'time' || kind === 'mark' || low === 'the');

/** `names Asha Mehta chair, Neha Bose COO`; `profit rises 12%, revenue 8%`: a statement whose verb is that before it. */
function gapped(current: Open, piece: readonly Token[]): Open | null {
  const roles = (tokens: readonly Token[]): boolean =>
    tokens.some((token) => isWord(token, ROLES)) && tokens.some(({ capital }) => capital);
  if (current.classes.includes('appoint') && roles(current.post) && roles(piece))
    return { ...current, post: [...piece] };
  const figure = piece.findIndex(({ kind }) => kind === 'figure');
  const noun = piece.slice(0, Math.max(0, figure));
  if (
    current.classes.some((name) => name === 'rise' || name === 'fall') &&
    noun.some(({ low }) => METRICS.has(canonical(low)))
  )
    return { ...current, subject: noun, post: piece.slice(figure) };
  return null;
}

/** Splits a slot at `and 12 in Surat`: the verb and the noun are those before. */
export function distributed(statement: Open): Open[] {
  const at = statement.post.findIndex(
    (token, index) =>
      (token.low === 'and' || token.kind === 'mark') &&
      statement.post[index + 1]?.kind === 'figure' &&
      statement.post.slice(0, index).some(({ kind }) => kind === 'figure') &&
      statement.post.slice(0, index).some((before) => isWord(before, PREPOSITIONS)),
  );
  if (at < 0) return [statement];
  const rest = distributed({ ...statement, post: statement.post.slice(at + 1) });
  return [{ ...statement, post: statement.post.slice(0, at) }, ...rest];
}
