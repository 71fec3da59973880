/** A question is answered on the page itself, as the answer is written. Without this the form leads to a page with it. */
const place = document.getElementById('asked');
let moved = false;

/** Events of a stream: each the JSON of its data. */
async function* eventsOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split('\n\n');
    text = parts.pop();
    for (const part of parts) {
      const data = part.split('\n').find((line) => line.startsWith('data: '));
      if (data) yield JSON.parse(data.slice(6));
    }
  }
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** The marks of citations are numbers once the answer is whole; until then they are left out. */
const readable = (text) =>
  text
    .replace(/\s?\[sig_[0-9a-f]{0,16}\]?/g, '')
    .replace(/\\([\\`*_[\]<>|#~])/g, '$1')
    .replaceAll('**', '');

/** Shows the finished answer, and its address. */
function finish({ html, url }) {
  place.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes);
  if (url) history.pushState(null, '', url);
  moved = true;
  const heading = place.querySelector('h1');
  heading.tabIndex = -1;
  heading.focus();
}

async function ask(form) {
  const fields = new URLSearchParams(new FormData(form));
  const shown = element('article', 'turn', '');
  const answerText = element('div', 'answer-text writing', 'Searching the record…');
  answerText.setAttribute('role', 'status');
  shown.append(element('h1', 'question', fields.get('question')), answerText);
  const before = [...place.childNodes];
  place.replaceChildren(shown);
  const failed = (why) => {
    place.replaceChildren(element('p', 'wrong', why), ...before);
    place.firstChild.setAttribute('role', 'alert');
    place.querySelector('textarea')?.focus();
  };
  try {
    const answer = await fetch(form.action, { method: 'POST', body: fields, headers: { accept: 'text/event-stream' } });
    if (!answer.ok) return failed((await answer.json()).message);
    let text = '';
    for await (const event of eventsOf(answer)) {
      if (event.type === 'error') return failed(event.error.message);
      if (event.type === 'clarity.page') return finish(event);
      // What the service answers by itself is read while a model is at work.
      if (event.type === 'clarity.computed_answer') answerText.textContent = readable(event.content);
      if (event.type !== 'content_block_delta') continue;
      text += event.delta.text;
      answerText.textContent = readable(text);
    }
    failed('The answer was interrupted. Ask again.');
  } catch {
    // The page says so; nothing else is known of a broken connection.
    failed('The answer did not arrive. Ask again.');
  }
}

document.addEventListener('submit', (event) => {
  const form = event.target.closest('form[data-ask]');
  if (!form || !place) return;
  event.preventDefault();
  ask(form);
});
// Back and forward lead to whole pages.
addEventListener('popstate', () => moved && location.reload());
