/**
 * Keys of the review desk, which the page lists under "Keys". Every form works without them. A key that decides acts on the
 * signal that has the focus, and no key acts while something is typed.
 */
const STORED = 'review-keys';
const cases = [...document.querySelectorAll('[data-case]')];
const help = document.querySelector('#keys');
const toggle = document.querySelector('[data-keys]');

const isTyping = (element) => element?.matches('input, select, textarea, [contenteditable]') === true;
const current = () => document.activeElement?.closest('[data-case]') ?? null;

function move(step) {
  const at = cases.indexOf(current());
  const next = at < 0 ? cases[0] : cases[Math.min(cases.length - 1, Math.max(0, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: 'start' });
}

function decide(key) {
  const chosen = current()?.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!chosen) return false;
  if (chosen.tagName === 'BUTTON') {
    sessionStorage.setItem(STORED, 'next');
    chosen.click();
    return true;
  }
  chosen.open = true;
  chosen.querySelector('select, textarea, input:not([type=hidden])')?.focus();
  return true;
}

toggle.checked = localStorage.getItem(STORED) !== 'off';
toggle.addEventListener('change', () => localStorage.setItem(STORED, toggle.checked ? 'on' : 'off'));

document.addEventListener('keydown', (event) => {
  if (!toggle.checked || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape' && isTyping(document.activeElement)) {
    current()?.focus();
    return;
  }
  if (isTyping(document.activeElement)) return;
  if (event.key === '?') help.open = !help.open;
  else if (event.key === 'j') move(1);
  else if (event.key === 'k') move(-1);
  else if (!decide(event.key)) return;
  event.preventDefault();
});

// Who decided by a key goes on with the next signal.
if (sessionStorage.getItem(STORED) === 'next') {
  sessionStorage.removeItem(STORED);
  move(1);
}
