/** Statements in one form: active voice, nouns of events as verbs; and what follows from a statement besides it. */
import type { Open } from './clauses.ts';
import { asOwner, isFigure, NO_UNIT, type Slot, slotsOf, type Unit, unitsOf } from './units.ts';
import { EVENT_NOUNS, METRICS, type Modality, OWN_METRICS, ROLES } from './words.ts';

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

const MONEY = new Set(['fund', 'round']);
export const CHANGES = new Set(['rise', 'fall']);
const PERSONNEL = new Set(['appoint', 'become', 'promote']);
const TIMES_OF: Readonly<Record<string, number>> = { doubl: 2, tripl: 3, halv: 0.5 };

/** The statement in its uniform form: active voice, changes with what changed as the subject, nouns of events as verbs. */
export function uniform(given: Open, sentence: number, context: readonly Unit[]): Statement[] {
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
  // `raised ₹40 crore in funding`: what is raised is money.
  if (classes.includes('fund')) {
    const withoutMoney = (units: readonly Unit[]): Unit[] =>
      units.filter(({ key, name, owner }) => name || owner || !MONEY.has(key));
    object = withoutMoney(object);
    slots = slots.flatMap((slot) => {
      const units = slot.prep === 'in' ? withoutMoney(slot.units) : slot.units;
      return units.length > 0 ? [{ ...slot, units }] : [];
    });
  }
  // `a 51% stake in`, `51% of`.
  if (classes.some((name) => name === 'buy' || name === 'sell') && object.some(({ key }) => key.startsWith('pct:')))
    object = object.filter(({ key, owner }) => key !== 'stake' || owner);
  // `reported a 12% rise in profit`, `imposed a fine on`: the noun says what happened.
  const light = classes.some((name) => ['report', 'have', 'impose', 'receive', 'complete', 'declare'].includes(name));
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
  if ((classes.includes('report') || classes.includes('have')) && metric(object) && object.some(isFigure)) {
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
export function implied(statement: Statement): Statement[] {
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
      // What it rose from it no longer is, unless its own time is stated: "from ₹155 crore in FY25".
      const figures = level?.units.filter((unit) => isFigure(unit) && (prep === 'to' || unit.when.length > 0)) ?? [];
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
  const seller = slot('from');
  if (classes.includes('buy') && seller?.units.some(({ name }) => name))
    found.push({
      ...statement,
      classes: ['sell'],
      subject: seller.units,
      slots: [...slots.filter((one) => one !== seller), { prep: 'to', units: subject }],
    });
  const merged = slot('with');
  if (merged && object.some(({ key, owner }) => key === 'merger' && !owner))
    found.push({
      ...statement,
      object: [...object, ...asOwner(merged.units)],
      slots: slots.filter((one) => one !== merged),
    });
  // A venture that two companies set up is one of the first with the second.
  const joint = classes.includes('open') && object.some(({ key, owner }) => key === 'venture' && !owner);
  const first = subject.findIndex(({ head }) => head);
  if (joint && first >= 0 && first < subject.length - 1) {
    const sides = [subject.slice(0, first + 1), subject.slice(first + 1)] as const;
    for (const [one, other] of [sides, sides.toReversed()])
      found.push({ ...statement, subject: one ?? [], slots: [...slots, { prep: 'with', units: other ?? [] }] });
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

/** A round that is led is that of the company that raises it in the same sentence. */
export function withRound(statement: Statement, before: readonly Statement[]): Statement {
  const raised = before.findLast(
    ({ classes, sentence }) => classes.includes('fund') && sentence === statement.sentence,
  );
  // `led the round of Kiri Foods`: another company's.
  const isNamed = statement.object.some(
    ({ name, owner, key }) => owner || (name && !/^(?:sery|[a-h]|pre|seed)$/.test(key)),
  );
  if (!raised || isNamed || !statement.classes.includes('lead')) return statement;
  const round: Unit = { ...NO_UNIT, key: 'round', kind: 'word', head: true };
  const own = statement.object.filter(({ key }) => key !== 'round');
  return { ...statement, object: [...own, round, ...raised.object.filter(isFigure), ...asOwner(raised.subject)] };
}

/** Who succeeds somebody has the seat that the text names for them before. */
export function withSeat(statement: Statement, before: readonly Statement[]): Statement {
  const named = statement.classes.includes('replace')
    ? before.find(
        ({ classes, object }) =>
          classes.includes('appoint') &&
          statement.subject.some(({ name }) => name) &&
          statement.subject.every(({ key }) => object.some((unit) => unit.key === key)),
      )
    : undefined;
  const seat = named?.slots.find(({ prep }) => prep === 'as');
  if (!named || !seat || statement.slots.some(({ prep }) => prep === 'as')) return statement;
  return {
    ...statement,
    slots: [...statement.slots, { prep: 'as', units: [...seat.units, ...asOwner(named.subject)] }],
  };
}
