/**
 * The map enlarges, moves, and narrows the page to a place without leaving it; the list of cities follows what the map shows.
 * Without this every state and city is a link, and the list has all.
 */
const frame = document.querySelector('[data-map]');
const drawing = frame.querySelector('svg');
const [WIDTH, HEIGHT] = drawing.getAttribute('viewBox').split(' ').slice(2).map(Number);
const ZOOMS = drawing.dataset.zooms.split(' ').map(Number);
const inView = document.querySelector('[data-in-view]');
const everything = inView.textContent;

const view = { at: 0, x: 0, y: 0 };
const zoom = () => ZOOMS[view.at];
const between = (value, least, most) => Math.min(most, Math.max(least, value));
const plural = (count, one, many) => `${count.toLocaleString('en-IN')} ${count === 1 ? one : many}`;

/** Hides the rows of the cities that are outside of the window of the map. */
function followView() {
  // The window of the page may show more than what is asked for, in one direction.
  const box = drawing.getBoundingClientRect();
  const inverse = drawing.getScreenCTM().inverse();
  const seen = (x, y) => new DOMPoint(x, y).matrixTransform(inverse);
  const [{ x: left, y: top }, { x: right, y: bottom }] = [seen(box.left, box.top), seen(box.right, box.bottom)];
  let [cities, openings] = [0, 0];
  for (const row of document.querySelectorAll('[data-openings]')) {
    const [x, y] = [Number(row.dataset.x), Number(row.dataset.y)];
    row.hidden = view.at > 0 && !(x >= left && x <= right && y >= top && y <= bottom);
    if (row.hidden) continue;
    cities += 1;
    openings += Number(row.dataset.openings);
  }
  const words = `${plural(cities, 'city', 'cities')} in view, ${plural(openings, 'opening', 'openings')}`;
  inView.textContent = view.at === 0 ? everything : words;
}

let waiting;
function draw() {
  view.x = between(view.x, 0, WIDTH - WIDTH / zoom());
  view.y = between(view.y, 0, HEIGHT - HEIGHT / zoom());
  drawing.setAttribute('viewBox', `${view.x} ${view.y} ${WIDTH / zoom()} ${HEIGHT / zoom()}`);
  drawing.dataset.zoom = view.at + 1;
  for (const marker of drawing.querySelectorAll('.marker')) {
    const place = marker.getAttribute('transform').replace(/ scale.*/, '');
    marker.setAttribute('transform', `${place} scale(${1 / zoom()})`);
  }
  for (const [button, isOff] of [
    [nearer, view.at === ZOOMS.length - 1],
    [farther, view.at === 0],
    [whole, view.at === 0],
  ])
    button.setAttribute('aria-disabled', isOff);
  // Once the map rests, so that the status is read once.
  clearTimeout(waiting);
  waiting = setTimeout(followView, 150);
}

/** Enlarges around a point of the drawing. */
function zoomTo(at, x = view.x + WIDTH / zoom() / 2, y = view.y + HEIGHT / zoom() / 2) {
  view.at = between(at, 0, ZOOMS.length - 1);
  view.x = x - WIDTH / zoom() / 2;
  view.y = y - HEIGHT / zoom() / 2;
  draw();
}

const placeOf = (marker) =>
  marker
    .getAttribute('transform')
    .match(/-?[\d.]+/g)
    .slice(0, 2)
    .map(Number);

// Narrowing the page to a place.

let asked = 0;
/** Shows what another address of this page has, in the parts that differ. */
async function show(address, isNew) {
  const mine = ++asked;
  const answer = await fetch(address, { headers: { accept: 'text/html' } });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  // A later choice is newer than this answer.
  if (mine !== asked) return;
  for (const part of page.querySelectorAll('[data-part]'))
    document.querySelector(`[data-part="${part.dataset.part}"]`).replaceWith(part);
  document.title = page.title;
  const chosen = new Set(
    [...page.querySelectorAll('[data-map] [aria-current], .list [aria-current]')].map((link) =>
      link.getAttribute('href'),
    ),
  );
  for (const link of document.querySelectorAll('.marker, .list a'))
    if (chosen.has(link.getAttribute('href'))) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  const shapes = page.querySelectorAll('.land');
  drawing.querySelectorAll('.land').forEach((shape, index) => {
    shape.classList.toggle('chosen', shapes[index].classList.contains('chosen'));
  });
  if (isNew) history.pushState(null, '', address);
  said.textContent = document.querySelector('[data-part="found"] h2').textContent;
}

const said = document.createElement('p');
said.className = 'unseen';
said.setAttribute('role', 'status');
frame.append(said);

document.addEventListener('click', (event) => {
  const link = event.target.closest('[data-map] svg a, [data-narrow]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (moved) return;
  // Several cities are first told apart.
  if (Number(link.dataset.cities) > 1 && view.at < ZOOMS.length - 1) return zoomTo(view.at + 1, ...placeOf(link));
  const address = link.getAttribute('href');
  show(address, true).catch(() => location.assign(address));
});
addEventListener('popstate', () => show(location.href, false).catch(() => location.reload()));

// Moving and enlarging.

const button = (name, label, act) => {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'plain';
  made.textContent = name;
  made.setAttribute('aria-label', label);
  made.addEventListener('click', act);
  return made;
};
const nearer = button('+', 'Enlarge the map', () => zoomTo(view.at + 1));
const farther = button('−', 'Reduce the map', () => zoomTo(view.at - 1));
const whole = button('All', 'All of the map', () => zoomTo(0));
const tools = document.createElement('div');
tools.className = 'map-tools';
tools.setAttribute('role', 'group');
tools.setAttribute('aria-label', 'Map');
tools.append(nearer, farther, whole);
frame.prepend(tools);

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
frame.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const step = STEPS[event.key];
  if (event.key === '+' || event.key === '=') zoomTo(view.at + 1);
  else if (event.key === '-') zoomTo(view.at - 1);
  else if (event.key === '0') zoomTo(0);
  else if (step && view.at > 0) {
    view.x += (step[0] * WIDTH) / zoom() / 4;
    view.y += (step[1] * HEIGHT) / zoom() / 4;
    draw();
  } else return;
  event.preventDefault();
});
// A marker that has the focus is in the window.
drawing.addEventListener('focusin', ({ target }) => {
  const marker = target.closest('.marker');
  if (!marker || view.at === 0) return;
  const [x, y] = placeOf(marker);
  const isSeen = x > view.x && x < view.x + WIDTH / zoom() && y > view.y && y < view.y + HEIGHT / zoom();
  if (!isSeen) zoomTo(view.at, x, y);
});

let from = null;
/** Whether the pointer moved the map: what it lets go of then is not chosen. */
let moved = false;
drawing.addEventListener('dragstart', (event) => event.preventDefault());
drawing.addEventListener('pointerdown', (event) => {
  moved = false;
  if (view.at > 0) from = { x: event.clientX, y: event.clientY, view: { ...view } };
});
addEventListener('pointermove', (event) => {
  if (!from) return;
  const scale = WIDTH / zoom() / drawing.getBoundingClientRect().width;
  const [x, y] = [event.clientX - from.x, event.clientY - from.y];
  if (!moved && Math.hypot(x, y) < 5) return;
  moved = true;
  view.x = from.view.x - x * scale;
  view.y = from.view.y - y * scale;
  draw();
});
for (const end of ['pointerup', 'pointercancel'])
  addEventListener(end, () => {
    from = null;
  });
drawing.addEventListener('wheel', (event) => {
  // Without a key the wheel scrolls the page.
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  const box = drawing.getBoundingClientRect();
  const x = view.x + ((event.clientX - box.left) / box.width) * (WIDTH / zoom());
  const y = view.y + ((event.clientY - box.top) / box.height) * (HEIGHT / zoom());
  zoomTo(view.at + (event.deltaY < 0 ? 1 : -1), x, y);
});
draw();
