/**
 * What pages do more with a script: the feed says when newer entries came, places of the map name themselves, days
 * are written out, and addresses and citations can be shared and copied.
 * Every page is whole without it.
 */
const LOOK_EVERY = 45_000;

/** Reloads the page in the background from time to time, and offers its new entries. */
function watchFeed(feed) {
  const known = new Set([...feed.querySelectorAll('h3 a')].map((link) => link.pathname));
  const offer = document.createElement('p');
  offer.className = 'fresh';
  offer.setAttribute('role', 'status');
  feed.before(offer);
  let newer = null;

  const look = async () => {
    if (document.hidden) return;
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    newer = page.querySelector('[data-live]');
    const fresh = [...(newer?.querySelectorAll('h3 a') ?? [])].filter((link) => !known.has(link.pathname)).length;
    if (fresh === 0) return;
    const show = document.createElement('button');
    show.type = 'button';
    show.textContent = fresh === 1 ? 'Show 1 newer entry' : `Show ${fresh} newer entries`;
    show.addEventListener('click', () => {
      feed.replaceChildren(...newer.childNodes);
      for (const link of feed.querySelectorAll('h3 a')) known.add(link.pathname);
      offer.replaceChildren();
      feed.querySelector('h3 a')?.focus();
    });
    offer.replaceChildren(show);
  };
  // A look that fails is followed by another.
  setInterval(() => look().catch(() => undefined), LOOK_EVERY);
  document.addEventListener('visibilitychange', () => look().catch(() => undefined));
}

/** Shows the label of a chart element, at the pointer or at the focused element. */
function nameParts(frame) {
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  tip.setAttribute('aria-hidden', 'true');
  frame.append(tip);
  const show = (event) => {
    const part = event.target.closest('[data-tip]');
    tip.hidden = part === null;
    if (part === null) return;
    tip.textContent = part.dataset.tip || part.getAttribute('aria-label');
    const [around, own] = [frame.getBoundingClientRect(), part.getBoundingClientRect()];
    tip.style.left = `${Math.min(own.right - around.left + 6, Math.max(0, around.width - tip.offsetWidth))}px`;
    tip.style.top = `${own.top - around.top}px`;
  };
  for (const kind of ['pointerover', 'focusin']) frame.addEventListener(kind, show);
  for (const kind of ['pointerleave', 'focusout'])
    frame.addEventListener(kind, () => {
      tip.hidden = true;
    });
}

/** Writes out the day of a field next to it: browsers show it in the form of their own country. */
function writeDay({ target }) {
  const options = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' };
  const words = target.valueAsDate?.toLocaleDateString('en-GB', options) ?? 'any day';
  document.getElementById(`${target.id}-words`).textContent = words;
}

/** Adds a button that copies the text of a citation. */
function offerCopy(part) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain copy';
  button.textContent = `Copy ${part.dataset.copy}`;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(part.querySelector('pre').textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = `Copy ${part.dataset.copy}`;
    }, 2_000);
  });
  part.querySelector('h2, h3, h4').after(button);
}

/** Adds a button that shares the address: by the dialog of the system where there is one, otherwise as a copied link. */
function offerShare(place) {
  const shared = { title: place.dataset.share, url: new URL(place.dataset.path, location.href).href };
  const canShare = navigator.canShare?.(shared) === true;
  if (!canShare && !navigator.clipboard) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain';
  button.textContent = 'Share';
  button.addEventListener('click', async () => {
    // A reader who closes the dialog of the system has not shared, which is no fault.
    if (canShare) return navigator.share(shared).catch(() => undefined);
    await navigator.clipboard.writeText(shared.url);
    button.textContent = 'Link copied';
    setTimeout(() => {
      button.textContent = 'Share';
    }, 2_000);
  });
  place.append(button);
}

const feed = document.querySelector('[data-live]');
if (feed) watchFeed(feed);
for (const frame of document.querySelectorAll('.chart-frame')) nameParts(frame);
for (const field of document.querySelectorAll('[type="date"][aria-describedby]'))
  field.addEventListener('input', writeDay);
for (const place of document.querySelectorAll('[data-share]')) offerShare(place);
if (navigator.clipboard) for (const part of document.querySelectorAll('[data-copy]')) offerCopy(part);
// The last brief can be read without a network.
navigator.serviceWorker?.register('/worker.js').catch(() => undefined);
