/**
 * Keys of the pages that people read: j and k step through the stories and move the focus, so that screen readers follow.
 * A dialog lists them, opened by ? or by the button in the footer, and turns them off (WCAG 2.1.4). Every key has a link or
 * a button that does the same.
 */
const STORED = 'reading-keys';
const KEYS = [
  ['j', 'Next story'],
  ['k', 'Previous story'],
  ['o', 'Open the story; on its page, the first report'],
  ['s', 'Save the story: follow it, or stop following it'],
  ['x', 'Tick the story to send it'],
  ['/', 'Search'],
  ['Ctrl K', 'Search, pages, and what can be done here'],
  ['?', 'These shortcuts'],
];
/** The link of each story: of an entry, of an item of the brief, of a row; and the link to the next page, after the last one. */
const STORIES = [
  '.entry h3 a',
  '.briefing h2 a',
  'td[data-name="Entry"] a',
  'td.long > a[href^="/signal/"]',
  '.plain-list a[href^="/signal/"]',
  '.pager [rel=next]',
];
const PAGE_OF_STORY = /^\/signal\/[^/]+$/;

const isTyping = (element) => element.matches('input, select, textarea, [contenteditable]');

/** The part of the page that shows a story. */
const storyAround = (element) => element.closest('.entry, li, tr, .pager');

function step(by) {
  const links = [...document.querySelectorAll(STORIES.map((one) => `main ${one}`).join())].filter((link) =>
    link.checkVisibility(),
  );
  const around = document.activeElement && storyAround(document.activeElement);
  const at = around ? links.findIndex((link) => around.contains(link)) : -1;
  // Without a story that has the focus, the first one in the window is next; below all of them, the last one.
  const first = links.findIndex((link) => link.getBoundingClientRect().top >= 0);
  const near = first < 0 ? links.at(-1) : links[by > 0 ? first : first - 1];
  const next = at >= 0 ? links[at + by] : near;
  if (!next) return;
  next.focus({ preventScroll: true });
  (storyAround(next) ?? next).scrollIntoView({ block: 'nearest' });
}

/** The link of the story that has the focus. */
const focusedLink = () => {
  const around = document.activeElement && storyAround(document.activeElement);
  return around?.querySelector(STORIES.join()) ?? null;
};

function open() {
  const report = PAGE_OF_STORY.test(location.pathname) ? document.querySelector('.reports .outward') : null;
  (focusedLink() ?? report)?.click();
}

/** Ticks the story that has the focus, for `send.js`. */
function tick() {
  const detail = focusedLink();
  if (!detail) return say('Choose a story with j or k, then press x to tick it.');
  document.dispatchEvent(new CustomEvent('tick', { detail }));
}

const said = document.createElement('p');
said.className = 'toast';
said.setAttribute('role', 'status');
document.body.append(said);

/** Announces what a key did; the text leaves after a while. */
function say(...parts) {
  clearTimeout(say.timer);
  said.replaceChildren(...parts);
  say.timer = setTimeout(() => said.replaceChildren(), 8_000);
}

const pageAt = async (path, options) => {
  const answer = await fetch(path, { headers: { accept: 'text/html' }, ...options });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
};

/** Sends the follow form of the story's own page, which has the token of the session. */
async function save() {
  const isOwn = PAGE_OF_STORY.test(location.pathname);
  const path = isOwn ? location.pathname : focusedLink()?.pathname;
  if (!path || !PAGE_OF_STORY.test(path)) return say('Choose a story with j or k, then press s to save it.');
  const form = (await pageAt(path, { cache: 'no-store' })).querySelector(
    'form[action="/follow"], form[action="/unfollow"]',
  );
  if (!form) {
    const link = document.createElement('a');
    link.href = `/sign-in?${new URLSearchParams({ to: location.pathname + location.search })}`;
    link.textContent = 'Sign in';
    return say(link, ' to save stories: what follows on them is then under My brands.');
  }
  const action = form.getAttribute('action');
  await pageAt(action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  if (isOwn) return location.reload();
  say(action === '/follow' ? 'Saved. What follows on this story is under My brands.' : 'No longer saved.');
}

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

function keysDialog() {
  const list = element('dl', {});
  for (const [key, does] of KEYS) {
    const row = element(
      'div',
      {},
      element('dt', {}, element('kbd', { textContent: key })),
      element('dd', { textContent: does }),
    );
    list.append(row);
  }
  const on = element('input', { type: 'checkbox', checked: isOn() });
  on.addEventListener('change', () => localStorage.setItem(STORED, on.checked ? 'on' : 'off'));
  const close = element('button', { textContent: 'Close' });
  const form = element(
    'form',
    { className: 'row', method: 'dialog' },
    element('label', {}, on, 'Shortcuts are on'),
    close,
  );
  const dialog = element(
    'dialog',
    { className: 'keys' },
    element('h2', { id: 'keys-title', textContent: 'Keyboard shortcuts' }),
    list,
    form,
  );
  dialog.setAttribute('aria-labelledby', 'keys-title');
  document.body.append(dialog);
  return dialog;
}

let dialog = null;
function showKeys() {
  dialog ??= keysDialog();
  dialog.showModal();
}

const isOn = () => localStorage.getItem(STORED) !== 'off';

const ACTIONS = {
  j: () => step(1),
  k: () => step(-1),
  o: open,
  s: () => save().catch(() => say('This was not saved. Open the story and use its Follow button.')),
  x: tick,
  '/': () => document.querySelector('.find [type=search]').select(),
  '?': showKeys,
};

// The review desk has keys of its own.
if (!document.querySelector('[data-keys]')) {
  const button = element('button', { type: 'button', className: 'plain open-keys', textContent: 'Shortcuts' });
  button.setAttribute('aria-haspopup', 'dialog');
  button.addEventListener('click', showKeys);
  document.querySelector('body > footer nav')?.append(button);
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event;
    if (ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return;
    if (!isOn() || dialog?.open || isTyping(event.target)) return;
    if (!Object.hasOwn(ACTIONS, key)) return;
    event.preventDefault();
    ACTIONS[key]();
  });
}
