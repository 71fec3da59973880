/**
 * Stories are ticked on any list, and sent: copied as text for a messenger, as a mail, or as the page of what was ticked, whose
 * address a team can open. The text is that of the page `/send`.
 */
const MAXIMUM = 25;
/** The link of each story: of an entry, of a row, of a list. */
const STORIES = ['.entry h3 a', 'td[data-name="Entry"] a', 'td.long > a', '.plain-list a']
  .map((one) => `main ${one}[href^="/signal/"]`)
  .join();

const linksOfStories = () => [...document.querySelectorAll(STORIES)].filter((link) => link.checkVisibility());
const boxes = () => [...document.querySelectorAll('main .tick')];
const chosen = () =>
  [
    ...new Set(
      boxes()
        .filter((box) => box.checked)
        .map((box) => box.value),
    ),
  ].slice(0, MAXIMUM);
const addressOf = () => `/send?s=${chosen().join(',')}`;

const made = (name, properties, ...children) => {
  const part = Object.assign(document.createElement(name), properties);
  part.append(...children);
  return part;
};

const count = made('strong', {});
count.setAttribute('role', 'status');
const button = (textContent, act) => {
  const one = made('button', { type: 'button', className: 'plain', textContent });
  one.addEventListener('click', () => act(one));
  return one;
};

const sentPage = async () => {
  const answer = await fetch(addressOf(), { headers: { accept: 'text/html' } });
  if (!answer.ok) throw new Error(`${addressOf()}: ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
};

const say = (text) => {
  count.textContent = text;
};

async function copy() {
  await navigator.clipboard.writeText((await sentPage()).querySelector('[data-copy] pre').textContent);
  say('Copied as text');
}

const bar = made(
  'div',
  { className: 'send-bar', hidden: true },
  count,
  button('All', () => tickAll()),
  ...(navigator.clipboard ? [button('Copy text', () => copy().catch(() => location.assign(addressOf())))] : []),
  button('Mail', async () => location.assign((await sentPage()).querySelector('a[href^="mailto:"]').href)),
  button('Link', () => location.assign(addressOf())),
  button('Team list', () => location.assign(`${addressOf()}#team-list`)),
  button('Close', () => close()),
);
bar.setAttribute('role', 'region');
bar.setAttribute('aria-label', 'Send stories');

function update() {
  const { length } = chosen();
  count.textContent = length === 1 ? '1 story' : `${length} stories`;
  for (const one of [...bar.querySelectorAll('button')].slice(1, -1)) one.disabled = length === 0;
}

function tickAll() {
  for (const box of boxes()) box.checked = true;
  update();
}

function open() {
  for (const link of linksOfStories()) {
    if (link.parentElement.querySelector('.tick')) continue;
    const box = made('input', { type: 'checkbox', className: 'tick', value: link.pathname.slice('/signal/'.length) });
    box.setAttribute('aria-label', `Send: ${link.textContent}`);
    box.addEventListener('change', update);
    link.before(box);
  }
  bar.hidden = false;
  update();
}

function close() {
  for (const box of boxes()) box.remove();
  bar.hidden = true;
}

const toggle = () => (bar.hidden ? open() : close());

/** The way in: next to what can be done with the page, or at the end of the line above its list. */
function offer() {
  const head = document.querySelector('main .subject .do');
  const line = [...document.querySelectorAll('main .tools nav')].at(-1);
  if (line) {
    const link = made('a', { href: '/send', textContent: 'Send' });
    link.setAttribute('role', 'button');
    link.addEventListener('click', (event) => {
      event.preventDefault();
      toggle();
    });
    line.append(' ', link);
  } else head?.append(button('Send', toggle));
}

if (linksOfStories().length > 0 && !location.pathname.startsWith('/operate')) {
  document.body.append(bar);
  offer();
  // The key x of the shortcuts: ticks a story, or takes the tick away.
  document.addEventListener('tick', ({ detail }) => {
    if (bar.hidden) open();
    const box = detail.parentElement.querySelector('.tick');
    box.checked = !box.checked;
    update();
  });
}
