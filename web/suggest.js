/**
 * Names while a reader types: the search of the bar offers brands, cities, people and headlines, and by Ctrl-K pages and what
 * can be done on this one; fields of brand names offer brands. Without a script the fields are searched and sent as they are.
 */
const WAIT = 120;
const MOST_PAGES = 4;

const optionOf = ({ kind, name, note }, id) => {
  const option = document.createElement('li');
  option.id = id;
  option.setAttribute('role', 'option');
  option.append(name);
  const small = document.createElement('small');
  small.textContent = note ? `${kind} · ${note}` : kind;
  option.append(small);
  return option;
};

/**
 * Makes a combobox of a field.
 * @param offers what is offered for a text, asynchronously
 * @param pick runs with what the reader chose
 */
function suggest(input, number, offers, pick) {
  const list = document.createElement('ul');
  Object.assign(list, { id: `suggest-${number}`, className: 'suggest', hidden: true });
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Suggestions');
  input.after(list);
  for (const [name, value] of [
    ['role', 'combobox'],
    ['autocomplete', 'off'],
    ['aria-autocomplete', 'list'],
    ['aria-controls', list.id],
    ['aria-expanded', 'false'],
  ])
    input.setAttribute(name, value);
  let hits = [];
  let active = -1;
  let asked = 0;
  let timer = 0;

  const mark = (next) => {
    active = next;
    [...list.children].forEach((option, at) => {
      option.setAttribute('aria-selected', String(at === active));
    });
    const option = list.children[active];
    if (option) input.setAttribute('aria-activedescendant', option.id);
    else input.removeAttribute('aria-activedescendant');
    option?.scrollIntoView({ block: 'nearest' });
  };
  const show = (found) => {
    const marked = hits[active];
    hits = found;
    list.replaceChildren(...hits.map((hit, at) => optionOf(hit, `${list.id}-${at}`)));
    list.hidden = hits.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    // What the reader has marked stays so when more is found.
    mark(hits.findIndex(({ kind, name }) => kind === marked?.kind && name === marked.name));
  };
  const look = async () => {
    asked += 1;
    const own = asked;
    const found = await offers(input.value);
    if (own === asked && document.activeElement === input) show(found);
  };
  const choose = (hit) => {
    asked += 1;
    show([]);
    pick(hit);
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => look().catch(() => show([])), WAIT);
  });
  input.addEventListener('blur', () => show([]));
  // The focus stays in the field while an offer is pressed.
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) => {
    const at = [...list.children].indexOf(target.closest('li'));
    if (hits[at]) choose(hits[at]);
  });
  input.addEventListener('keydown', (event) => {
    const { key, isComposing } = event;
    if (isComposing || list.hidden) return;
    if (key === 'ArrowDown') mark((active + 1) % hits.length);
    else if (key === 'ArrowUp') mark((active <= 0 ? hits.length : active) - 1);
    else if (key === 'Escape') show([]);
    else if (key === 'Enter' && active >= 0) choose(hits[active]);
    else return;
    event.preventDefault();
  });
  return look;
}

const found = async (parameters) => {
  const answer = await fetch(`/find?${new URLSearchParams(parameters)}`);
  return answer.ok ? (await answer.json()).hits : [];
};

/** The pages of the menu, and the buttons at the head of this page. */
function commands() {
  const pages = [...document.querySelectorAll('.menu nav a')].map((link) => ({
    kind: 'Page',
    name: link.textContent.trim(),
    path: link.href,
  }));
  const actions = [...document.querySelectorAll('main .do :is(a.button, button), .open-keys')]
    .filter((part) => part.checkVisibility())
    .map((part) => ({ kind: 'Action', name: (part.ariaLabel ?? part.textContent).trim(), run: () => part.click() }));
  return [...actions, ...pages];
}

async function everything(text) {
  const typed = text.trim().toLowerCase();
  if (typed === '') return commands();
  const near = commands().filter(({ name }) => ` ${name.toLowerCase()}`.includes(` ${typed}`));
  return [...near.slice(0, MOST_PAGES), ...(await found({ q: typed }))];
}

const follow = ({ path, run }) => {
  if (run) run();
  else location.assign(path);
};

const box = document.querySelector('.find [type=search]');
if (box) {
  const look = suggest(box, 0, everything, follow);
  document.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k') return;
    event.preventDefault();
    box.focus();
    box.select();
    look().catch(() => undefined);
  });
}

/** Fields with several names: the last one is completed. */
[...document.querySelectorAll('[data-names]')].forEach((input, at) => {
  const last = () => input.value.split(',').at(-1)?.trim() ?? '';
  const offers = async () => (last() === '' ? [] : found({ q: last(), only: 'brands' }));
  suggest(input, at + 1, offers, ({ name }) => {
    const before = input.value.split(',').slice(0, -1);
    input.value = [...before.map((one) => one.trim()), name, ''].join(', ');
    input.dispatchEvent(new Event('named', { bubbles: true }));
  });
});
