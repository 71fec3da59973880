/** What a text states: one statement for each verb, with who, what, how much, where and when, and how far it is asserted. */
import { DESCRIPTORS } from '../../ingest/understand/model/lexicon.ts';
import { isCommon } from '../../ingest/understand/model/words.ts';
import { normalise, sentencesOf, type Token, tokensOf } from './tokens.ts';
import {
  canonical,
  EMPTY,
  EVENT_NOUNS,
  FINITE,
  MANNERS,
  METRICS,
  MODALS,
  type Modality,
  NOT_QUITE,
  OWN_METRICS,
  ROLES,
  VERBS,
} from './words.ts';

/** A word, figure or time that a statement says something with. */
export interface Unit {
  readonly key: string;
  readonly kind: 'word' | 'figure' | 'time';
  readonly name: boolean;
  /** In a phrase of possession: `Kiri Foods'`, `of Kiri Foods`. */
  readonly owner: boolean;
  /** After `of`. */
  readonly after: boolean;
  /** The last word of a noun phrase: what the phrase is. */
  readonly head: boolean;
  /** Words before it without which it would say more than it does. */
  readonly limits: readonly string[];
  /** Of a figure: words of the thing that it counts or measures. */
  readonly of: readonly string[];
  /** Of a figure: the times next to it. */
  readonly when: readonly string[];
}

export interface Slot {
  /** The preposition; empty for what precedes the first one. */
  readonly prep: string;
  readonly units: readonly Unit[];
}

export interface Statement {
  readonly classes: readonly string[];
  readonly negated: boolean;
  readonly modality: ReadonlySet<Modality>;
  /** Who says it, where it is somebody's word. */
  readonly speaker: readonly Unit[];
  readonly subject: readonly Unit[];
  readonly object: readonly Unit[];
  readonly slots: readonly Slot[];
  /** The conjunction of cause, time or condition that joins it to the statement before; empty for none. */
  readonly link: string;
  /** Which sentence of the text states it. */
  readonly sentence: number;
}

export interface Reading {
  readonly statements: readonly Statement[];
  /** Words that belong to no statement. */
  readonly loose: readonly Unit[];
}

const PREPOSITIONS = new Set(
  (
    'in at on for from to by with as across into under over against through via between among during since until till ' +
    'within near amid despite after before per than towards including excluding except due-to according-to along out'
  ).split(' '),
);
const LINKS = new Set(
  'as after before while because since although though but whereas when if unless until whether'.split(' '),
);
const CONDITIONS = new Set(['if', 'unless', 'whether', 'until']);
const RELATIVE = new Set(['which', 'who', 'that']);
const BE = new Set(['is', 'are', 'was', 'were', 'be', 'been', 'being', 'gets', 'got']);
const HAVE = new Set(['has', 'have', 'had', 'having']);
const AUXILIARY = new Set([...BE, ...HAVE, 'do', 'does', 'did', 'to', 'not']);
const MODAL: Readonly<Record<string, Modality>> = {
  ...{ will: 'plan', would: 'plan', shall: 'plan', may: 'may', might: 'may', could: 'may', can: 'may' },
  ...{ 'expected-to': 'expected', 'agreed-to': 'agreed', 'talks-of': 'talks' },
  ...{ allegedly: 'alleged', reportedly: 'may', possibly: 'may', probably: 'may', perhaps: 'may', likely: 'may' },
};
const DETERMINERS = new Set(
  'a an the its their his her no this that these those first new another every each'.split(' '),
);
/** Adverbs inside a verb group that leave it as it is. */
const ADVERBS = new Set('also now recently already finally newly just formally'.split(' '));
const DIRECTION: Readonly<Record<string, string>> = { up: 'rise', down: 'fall' };

/** A form of a verb that is no part of a name. */
const isVerbForm = (token: Token | undefined): boolean =>
  token?.kind === 'word' &&
  !token.capital &&
  ((VERBS.has(token.low) && !VERBS.get(token.low)?.weak) || MODALS.has(token.low));
const SPEECH: ReadonlySet<string> = new Set(['said', 'denied', 'alleged', 'expected']);
const isSpeech = (low: string): boolean => SPEECH.has(MODALS.get(low)?.modality ?? '');
const isWord = (token: Token | undefined, words: { has(word: string): boolean }): boolean =>
  token?.kind === 'word' && words.has(token.low);

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

/** Nouns that describe the company or person named after them. */
const DESCRIBES: ReadonlySet<string> = new Set(
  [...DESCRIPTORS, ...ROLES, 'executive', 'veteran', 'boss', 'designer', 'analyst', 'minister', 'arm', 'unit'].map(
    canonical,
  ),
);

const NO_UNIT = { name: false, owner: false, after: false, head: false, limits: [], of: [], when: [] } as const;

/** The units of a noun phrase. Words without content are left out. */
export function unitsOf(tokens: readonly Token[]): Unit[] {
  const units: Unit[] = [];
  let ownerFrom = 0;
  let after = false;
  const endRun = (): void => {
    const last = units.findLastIndex(({ owner, kind, key }) => !owner && kind !== 'time' && !MANNERS.has(key));
    const unit = units[last];
    if (unit) units[last] = { ...unit, head: true };
  };
  let limits: string[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'mark' || token.low === 'and') {
      endRun();
      if (token.kind === 'mark') after = false;
      ownerFrom = units.length;
      limits = [];
      continue;
    }
    if (token.kind === 'word' && token.low === 'of') {
      endRun();
      after = true;
      ownerFrom = units.length;
      continue;
    }
    if (token.kind === 'word' && EMPTY.has(token.low) && !token.capital) continue;
    if (token.kind === 'word' && EMPTY.has(token.low) && index === 0) continue;
    if (token.kind === 'word' && NOT_QUITE.has(token.low)) limits = [...limits, token.low];
    if (token.kind === 'figure' && units.at(-1)?.name && !after) endRun();
    // `former Maya Retail executive Arjun Pillai`: what the description limits ends before the name.
    const described = units.at(-1);
    if (token.capital && described && !described.name && DESCRIBES.has(described.key)) {
      endRun();
      limits = [];
    }
    const key = token.kind === 'word' ? canonical(token.low) : token.low;
    units.push({ ...NO_UNIT, key, kind: token.kind, name: token.capital, owner: after, after, limits });
    if (token.kind === 'word' && ROLES.has(token.low)) endRun();
    if (token.owner) {
      for (let each = ownerFrom; each < units.length; each++) {
        const unit = units[each];
        if (unit) units[each] = { ...unit, owner: true };
      }
      ownerFrom = units.length;
      limits = [];
    }
  }
  endRun();
  return units.map((unit, index) => {
    if (unit.kind !== 'figure') return unit;
    const rest = units.slice(index + 1, index + 5);
    const stop = rest.findIndex(({ kind, owner }) => kind === 'figure' || owner !== unit.owner);
    const next = (stop < 0 ? rest : rest.slice(0, stop)).filter(({ kind }) => kind === 'word');
    return { ...unit, head: !unit.owner, of: next.map(({ key }) => key) };
  });
}

/** Splits what follows a verb by its prepositions. `of` stays inside its phrase. */
function slotsOf(tokens: readonly Token[]): Slot[] {
  const slots: { prep: string; tokens: Token[] }[] = [{ prep: '', tokens: [] }];
  for (const token of tokens) {
    if (token.kind === 'word' && PREPOSITIONS.has(token.low)) slots.push({ prep: token.low, tokens: [] });
    else slots.at(-1)?.tokens.push(token);
  }
  const read = slots.map(({ prep, tokens: own }): Slot => ({ prep, units: unitsOf(own) }));
  return read.flatMap((slot, index): Slot[] => {
    const next = read[index + 1];
    const when = [slot, ...(next && isTimes(next) && next.prep === 'in' ? [next] : [])]
      .flatMap(({ units }) => units)
      .filter(({ kind }) => kind === 'time')
      .map(({ key }) => key);
    const units = slot.units.map((unit) => (unit.kind === 'figure' ? { ...unit, when } : unit));
    return [{ ...slot, units }];
  });
}

const isTimes = ({ units }: Slot): boolean => units.length > 0 && units.every(({ kind }) => kind === 'time');

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

interface Open {
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
function readSentence(tokens: readonly Token[], sentence: number, known: readonly Token[]) {
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
    const role = seated && (isWord(piece[verb + 1], ROLES) || isWord(piece[verb + 1], new Set(['to', 'as'])));
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
function distributed(statement: Open): Open[] {
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

/** Verbs whose object does what the infinitive after them says. */
const CONTROL = new Set(['urge', 'direct', 'allow', 'warn']);
const CHANGES = new Set(['rise', 'fall']);
const PERSONNEL = new Set(['appoint', 'become', 'promote']);
const isFigure = ({ kind }: Unit): boolean => kind === 'figure';
const asOwner = (units: readonly Unit[]): Unit[] => units.map((unit) => ({ ...unit, owner: true, head: false }));
const TIMES_OF: Readonly<Record<string, number>> = { doubl: 2, tripl: 3, halv: 0.5 };

/** The statement in its uniform form: active voice, changes with what changed as the subject, nouns of events as verbs. */
function uniform(given: Open, sentence: number, context: readonly Unit[]): Statement[] {
  const [first, ...rest] = slotsOf(given.post);
  const lead = slotsOf(given.lead).filter(({ units }) => units.length > 0);
  let slots = [...lead, ...rest.filter(({ units }) => units.length > 0)];
  let [subject, object]: [readonly Unit[], readonly Unit[]] = [unitsOf(given.subject), first?.units ?? []];
  let { classes } = given;
  if (given.passive) {
    const agent = slots.find(
      ({ prep, units }) => prep === 'by' && units.some(({ kind }) => kind === 'word') && !units.some(isFigure),
    );
    const role = classes.includes('appoint');
    if (object.length > 0 && role) slots = [...slots, { prep: 'as', units: object }];
    object = role ? subject : [...subject, ...object];
    subject = agent?.units ?? [];
    slots = slots.filter((slot) => slot !== agent);
  }
  const base = {
    negated: given.negated,
    modality: given.modality,
    speaker: given.speaker,
    link: given.link,
    sentence,
  };
  const isOwn = (units: readonly Unit[]): boolean =>
    units.every(({ kind, key, owner }) => kind !== 'word' || owner || OWN_METRICS.has(key)) &&
    !units.some(({ name }) => name);
  // `₹180 crore in fresh funding`: the amount is of it.
  const kind = slots[0];
  if (kind?.prep === 'in' && object.length > 0 && object.every(isFigure) && !kind.units.some(({ name }) => name))
    object = [...object, ...kind.units];
  // `reported a 12% rise in profit`, `imposed a fine on`: the noun says what happened.
  const light = classes.some((name) => ['report', 'have', 'impose', 'receive', 'complete'].includes(name));
  const event = object.find(({ key, owner }) => !owner && EVENT_NOUNS[key]);
  if (light && event) {
    const className = EVENT_NOUNS[event.key] ?? '';
    const what = slots.find(({ prep }) => prep === 'in');
    const others = slots.filter((slot) => slot !== what);
    const remaining = object.filter((unit) => unit !== event);
    if (CHANGES.has(className) && what) {
      const by = remaining.filter(isFigure);
      const changed = [...what.units, ...remaining.filter((unit) => !isFigure(unit)), ...asOwner(subject)];
      const amounts: Slot[] = by.length > 0 ? [{ prep: 'by', units: by.map((unit) => ({ ...unit, of: [] })) }] : [];
      return [{ ...base, classes: [className], subject: changed, object: [], slots: [...amounts, ...others] }];
    }
    if (classes.includes('receive')) {
      const agent = slots.find(({ prep }) => prep === 'from');
      if (agent)
        return [
          {
            ...base,
            classes: [className],
            subject: agent.units,
            object: remaining.map((unit) => ({ ...unit, owner: false, head: true, of: [] })),
            slots: [...slots.filter((slot) => slot !== agent), { prep: 'in', units: subject }],
          },
        ];
    }
  }
  if (classes.includes('impose') && object.some(({ key }) => key === 'fine')) {
    const on = slots.find(({ prep }) => prep === 'on');
    const amount = object
      .filter(({ key }) => key !== 'fine')
      .map((unit) => ({ ...unit, owner: false, head: true, of: [] }));
    return [
      {
        ...base,
        classes: ['fine'],
        subject,
        object: [...(on?.units ?? []), ...amount],
        slots: slots.filter((slot) => slot !== on),
      },
    ];
  }
  if (classes.some((name) => CHANGES.has(name))) {
    const things = object.filter((unit) => unit.kind === 'word');
    const figures = object.filter(isFigure);
    if (classes.includes('layoff') && things.some(({ key }) => key === 'employee'))
      return [{ ...base, classes: ['layoff'], subject, object, slots }];
    classes = classes.filter((name) => name !== 'layoff');
    const funds = classes.includes('fund') && !things.some(({ key }) => METRICS.has(key) || key === 'stake');
    if (!funds) {
      const stem = Object.keys(TIMES_OF).find((each) => given.verb.startsWith(each));
      const factor = stem ? [{ ...NO_UNIT, key: `times:${TIMES_OF[stem]}`, kind: 'figure' as const, head: true }] : [];
      const by = [...(things.length === 0 ? figures : []), ...factor].map((unit) => ({ ...unit, of: [] }));
      if (by.length > 0) slots = [{ prep: 'by', units: by }, ...slots];
      // `debt by a third`; `Same-store sales at 12 shops up 9%` keeps its place.
      if (things.length > 0) {
        subject = [...object, ...asOwner(subject)];
        object = [];
      } else object = object.filter((unit) => unit.kind === 'time');
      classes = classes.filter((name) => CHANGES.has(name));
    } else if (funds) classes = classes.filter((name) => !CHANGES.has(name));
    const owned = isOwn(subject) ? [...subject, ...asOwner(context)] : subject;
    return [{ ...base, classes, subject: funds ? subject : owned, object, slots }];
  }
  // `revenue was ₹40 crore`, `reported a loss of ₹14 crore`: a level.
  const metric = (units: readonly Unit[]): boolean => units.some(({ key, owner }) => !owner && METRICS.has(key));
  if ((classes.includes('be') || classes.includes('stand')) && metric(subject)) {
    const at = slots.find(({ prep, units }) => prep === 'at' && units.some(isFigure));
    const figures = [...object.filter(isFigure), ...(at?.units ?? [])];
    if (figures.length > 0)
      return [
        {
          ...base,
          classes: ['level'],
          subject: isOwn(subject) ? [...subject, ...asOwner(context)] : subject,
          object: object.filter((unit) => !isFigure(unit)),
          slots: [{ prep: 'level', units: figures }, ...slots.filter((slot) => slot !== at)],
        },
      ];
  }
  if (classes.includes('report') && metric(object) && object.some(isFigure)) {
    const figures = object.filter(isFigure).map((unit) => ({ ...unit, owner: false, head: true, of: [] }));
    const what = object.filter((unit) => !isFigure(unit));
    return [
      {
        ...base,
        classes: ['level'],
        subject: [...what, ...asOwner(subject)],
        object: [],
        slots: [{ prep: 'level', units: figures }, ...slots],
      },
    ];
  }
  // Appointments: the company, the person and the role, whichever of them is the subject.
  if (classes.some((name) => PERSONNEL.has(name)) && (given.passive || classes.includes('become'))) {
    const person = classes.includes('become') ? subject : object;
    const seat = classes.includes('promote') ? 'to' : 'as';
    const seatSlot = classes.includes('become') ? undefined : slots.find(({ prep }) => prep === seat);
    const role = classes.includes('become') ? object : (seatSlot?.units ?? []);
    const at = slots.find(({ prep }) => prep === 'at' || prep === 'of');
    const owner = role.filter((unit) => unit.owner);
    const company = subject.length > 0 && given.passive ? subject : [...(at?.units ?? []), ...owner];
    return [
      {
        ...base,
        classes: [classes.includes('promote') ? 'promote' : 'appoint'],
        subject: company.map((unit, index, all) => ({ ...unit, owner: false, head: index === all.length - 1 })),
        object: person,
        slots: [
          ...slots.filter((slot) => slot !== at && slot !== seatSlot),
          { prep: seat, units: role.filter((unit) => !unit.owner) },
        ],
      },
    ];
  }
  // `names Asha Mehta chair`: the role is in the phrase of the person.
  if (classes.includes('appoint') && object.some(({ key }) => ROLES.has(key))) {
    const from = object.findIndex(({ name }, index) => !name && index > 0 && object[index - 1]?.name);
    const at = from < 0 ? object.findIndex(({ key }) => ROLES.has(key)) : from;
    if (at > 0) {
      const person = object.slice(0, at).map((unit, index) => (index === at - 1 ? { ...unit, head: true } : unit));
      slots = [...slots, { prep: 'as', units: object.slice(at) }];
      object = person;
    }
  }
  // A store opens as it is opened.
  if (classes.some((name) => name === 'open' || name === 'close') && object.length === 0 && !given.passive) {
    const head = subject.findLast((unit) => unit.head);
    if (head && !head.name) [object, subject] = [subject, []];
  }
  return [{ ...base, classes, subject, object, slots }];
}

/** Further statements that follow from one: a purchase from a sale, a level from a change to it. */
function implied(statement: Statement): Statement[] {
  const { classes, subject, object, slots } = statement;
  const slot = (prep: string): Slot | undefined => slots.find((one) => one.prep === prep && one.units.length > 0);
  const found: Statement[] = [];
  const to = slot('to');
  if (classes.includes('sell') && to?.units.some(({ name }) => name))
    found.push({
      ...statement,
      classes: ['buy'],
      subject: to.units,
      object,
      slots: [
        ...slots.filter((one) => one !== to),
        { prep: 'from', units: subject },
        { prep: 'in', units: asOwner(subject) },
      ],
    });
  if (classes.some((name) => CHANGES.has(name)))
    for (const prep of ['to', 'from']) {
      const level = slot(prep);
      const figures = level?.units.filter(isFigure) ?? [];
      if (level && figures.length > 0)
        found.push({
          ...statement,
          classes: ['level'],
          slots: [
            { prep: 'level', units: figures },
            ...slots.filter((one) => one !== level && !['to', 'from', 'by'].includes(one.prep)),
          ],
        });
    }
  if (classes.includes('partner') && subject.filter(({ head }) => head).length > 1)
    found.push({ ...statement, slots: [...slots, { prep: 'with', units: subject }] });
  const partner = slot('with');
  if (classes.includes('partner') && partner)
    found.push({
      ...statement,
      subject: [...subject, ...partner.units],
      slots: slots.filter((one) => one !== partner),
    });
  return found;
}

const PERIOD = /^(?:q|fy|h):/;

/**
 * Reads what a text states.
 * @param source true for a text of the record: pronouns are resolved, and statements that follow are added. A sentence of
 *   an answer is read without further context
 */
export function readStatements(text: string, source: boolean): Reading {
  const statements: Statement[] = [];
  const loose: Unit[] = [];
  let subject: readonly Token[] = [];
  let context: readonly Unit[] = [];
  for (const [number, { text: sentence }] of sentencesOf(text).entries()) {
    const spoken = attribution(inSentenceCase(tokensOf(normalise(sentence))));
    const read = readSentence(spoken.tokens, number, source ? subject : []);
    loose.push(...unitsOf(read.pending));
    let periods: readonly Unit[] = [];
    for (const one of read.open.flatMap(distributed)) {
      for (const each of uniform(one, number, context)) {
        const all = [...each.subject, ...each.object, ...each.slots.flatMap(({ units }) => units)];
        const own = all.filter(({ key }) => PERIOD.test(key));
        const bound = all.flatMap(({ when }) => when);
        const names = each.subject.filter(({ name }) => name);
        if (names.length > 0) context = names;
        if (own.length > 0) periods = own.filter(({ key }) => !bound.includes(key));
        const slots =
          own.length === 0 && periods.length > 0 && source
            ? [...each.slots, { prep: 'in', units: periods }]
            : each.slots;
        const said = spoken.speaker.length > 0;
        const statement: Statement = {
          ...each,
          slots,
          speaker: said ? spoken.speaker : each.speaker,
          modality: said ? new Set([...each.modality, 'said']) : each.modality,
        };
        statements.push(statement);
        if (source) statements.push(...implied(statement));
      }
    }
    // Pronouns of the next sentence stand for what this text is about: its first subject.
    if (number === 0 && read.open[0] && statements[0] && isOnlyOne(statements[0])) subject = read.open[0].subject;
  }
  return { statements, loose };
}

/** Whether a pronoun after a statement can only stand for its subject: it names nobody else. A place does not count. */
const isOnlyOne = ({ classes, object, slots }: Statement): boolean =>
  classes.some((name) => name === 'join' || name === 'leave') ||
  (!object.some(({ name }) => name) &&
    !slots.some(
      ({ prep, units }) =>
        units.some(({ name }) => name) && !(prep === 'in' && !classes.some((one) => ELSEWHERE.has(one))),
    ));
/** Verbs with a company after `in`. */
const ELSEWHERE = new Set(['lead', 'invest', 'buy', 'sell', 'fund']);

/** Words that are no part of a name in a headline whose words all begin with a capital letter. */
const isPlain = (low: string): boolean =>
  (VERBS.has(low) && !NAMELIKE.has(low)) ||
  MODALS.has(low) ||
  [PREPOSITIONS, LINKS, AUXILIARY, EMPTY, ROLES].some((words) => words.has(low)) ||
  METRICS.has(canonical(low)) ||
  DESCRIBES.has(canonical(low)) ||
  low === 'net' ||
  low in MODAL ||
  low in EVENT_NOUNS ||
  low in DIRECTION;
const NAMELIKE = new Set('retail partner partners gain order fine lead miss rally advance lift ship rent'.split(' '));

/** `Kiri Foods Opens 40 Stores In Pune`: the words that are no names, in lower case. */
function inSentenceCase(tokens: readonly Token[]): Token[] {
  const words = tokens.filter(({ kind, low }) => kind === 'word' && low.length > 3);
  const titled = words.length > 0 && words.filter(({ capital }) => capital).length / words.length > 0.8;
  if (!titled || !words.some(({ low, capital }) => capital && isPlain(low)))
    return tokens.map((token, index) =>
      index === 0 && token.capital && isCommon(token.low) && tokens[1]?.capital !== true
        ? { ...token, capital: false }
        : token,
    );
  return tokens.map((token, index) => {
    const partners = /^partners?$/.test(token.low) && tokens[index + 1]?.low === 'with';
    return token.kind === 'word' && (isPlain(token.low) || partners) ? { ...token, capital: false } : token;
  });
}

/** Takes `X said` and `according to X` off a sentence, whichever end they are at. */
function attribution(tokens: readonly Token[]): {
  readonly tokens: readonly Token[];
  readonly speaker: readonly Unit[];
} {
  const says = (token: Token | undefined): boolean =>
    token?.kind === 'word' && MODALS.get(token.low)?.modality === 'said' && token.low !== 'call';
  const marks = tokens.flatMap(({ kind }, index) => (kind === 'mark' ? [index] : []));
  const last = marks.at(-1) ?? -1;
  const tail = tokens.slice(last + 1);
  if (tokens[0]?.low === 'according-to' && marks.length > 0)
    return { tokens: tokens.slice((marks[0] ?? 0) + 1), speaker: unitsOf(tokens.slice(1, marks[0])) };
  const according = tokens.findIndex(({ low }) => low === 'according-to');
  if (according > 0) {
    const end = tokens[according - 1]?.kind === 'mark' ? according - 1 : according;
    return { tokens: tokens.slice(0, end), speaker: unitsOf(tokens.slice(according + 1)) };
  }
  if (last > 0 && says(tail[0])) return { tokens: tokens.slice(0, last), speaker: unitsOf(tail.slice(1)) };
  if (last > 0 && tail.length > 1 && tail.length < 9 && says(tail.at(-1)))
    return { tokens: tokens.slice(0, last), speaker: unitsOf(tail.slice(0, -1)) };
  return { tokens, speaker: [] };
}
