// The part of the page's script that runs it: the form, the requests, and the state of the server.
#include "locus/serve/page.h"

namespace locus::serve {

constexpr std::string_view kPageScript = R"js(
let model = {}, task = null, api_key = '', chat = [], stop = null;
const at = id => document.getElementById(id);

const call = (path, options = {}) => fetch(path, {...options, cache: 'no-store',
  headers: {...options.headers, ...(api_key ? {authorization: `Bearer ${api_key}`} : {})}});

async function error_of(answer) {
  try {
    const error = (await answer.json()).error;
    return error.message || error;
  } catch {
    return `The server answered with status ${answer.status}.`;
  }
}

function show_error(message) {
  at('error').textContent = message;
  at('error').hidden = message === '';
}

const values = () => Object.fromEntries(task.fields.map(field => [field.name, at(`f-${field.name}`).value]));

function show_code() {
  const body = task.body(values());
  at('curl').textContent = curl_of(task, body);
  at('python').textContent = python_of(task, body);
}

function choose(chosen) {
  task = chosen;
  chat = [];
  at('fields').replaceChildren(...task.fields.map(field => {
    const input = field.kind === 'lines' ? make('textarea', {rows: '4'})
      : make('input', field.kind === 'number' ? {type: 'number', min: field.least, step: field.step} : {type: 'text'});
    input.id = `f-${field.name}`;
    input.value = field.value;
    return make(field.kind === 'number' ? 'div.short' : 'div', {}, make('label', {for: input.id}, field.label), input);
  }));
  at('clear').hidden = task.route !== '/v1/chat/completions';
  at('send').textContent = task.name;
  at('results').replaceChildren();
  show_error('');
  show_code();
}

// The events of an answer, as text of their data.
async function* events_of(answer) {
  const reader = answer.body.getReader(), decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    text += decoder.decode(value, {stream: true});
    for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
      if (text.startsWith('data: ')) yield text.slice(6, end);
    }
  }
}

async function stream(answer, sent) {
  const paragraph = make('p.text.assistant');
  at('results').replaceChildren(...task.begin(sent), paragraph);
  for await (const data of events_of(answer)) {
    if (data === '[DONE]') break;
    const event = JSON.parse(data);
    if (event.error) throw new Error(event.error.message);
    for (const choice of event.choices) paragraph.append(task.piece(choice));
  }
  if (task.finish) {
    task.finish(paragraph.textContent, sent);
    at('f-message').value = '';
  }
}

function show_busy(busy) {
  at('results').setAttribute('aria-busy', busy);
  at('send').disabled = busy;
  at('stop').hidden = !busy;
}

async function send(event) {
  event.preventDefault();
  const sent = task.body(values()), begin = performance.now();
  show_error('');
  show_busy(true);
  at('took').textContent = '';
  stop = new AbortController();
  try {
    const answer = await call(task.route, {method: 'POST', body: JSON.stringify(sent), signal: stop.signal,
      headers: {'content-type': 'application/json'}});
    if (!answer.ok) throw new Error(await error_of(answer));
    if (sent.stream) await stream(answer, sent);
    else at('results').replaceChildren(...task.draw(await answer.json(), sent));
    at('took').textContent = `${Math.round(performance.now() - begin)} ms`;
  } catch (error) {
    if (error.name !== 'AbortError') show_error(error.message);
  }
  show_busy(false);
  show_code();
}

// Rates come from two readings of the counters.
let last = null;
async function show_state() {
  if (document.visibilityState !== 'visible') {
    last = null;
    return;
  }
  let text = '';
  try {
    const answer = await call('/metrics');
    if (!answer.ok) return;
    text = await answer.text();
  } catch {
    at('rate').textContent = 'no connection';
    last = null;
    return;
  }
  const sum = name => [...text.matchAll(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'gm'))]
    .reduce((all, found) => all + Number(found[1]), 0);
  const now = {time: performance.now(), tokens: sum('locus_tokens_total')};
  at('requests').textContent = `${sum('locus_queue_requests')} requests running`;
  at('waiting').textContent = `${sum('locus_queue_tokens')} tokens waiting`;
  if (last) at('rate').textContent = `${Math.round(1000 * (now.tokens - last.tokens) / (now.time - last.time))} tokens/s`;
  last = now;
}

async function open_page() {
  const answer = await call('/info');
  at('key-form').hidden = answer.status !== 401;
  if (!answer.ok) return show_error(await error_of(answer));
  show_error('');
  model = await answer.json();
  document.title = `${model.model_id} · Locus`;
  at('name').textContent = model.model_id;
  at('facts').textContent = [model.model_type, model.model_dtype, model.scheme, `${model.max_input_length} tokens`,
    `Locus ${model.version}`].join(' · ');
  const served = tasks.filter(one => model.routes.includes(one.route));
  at('tasks').replaceChildren(make('legend', {}, 'Task'), ...served.flatMap((one, i) => {
    const input = make('input', {type: 'radio', name: 'task', id: `t-${i}`});
    input.checked = i === 0;
    input.addEventListener('change', () => choose(one));
    return [input, make('label', {for: input.id}, one.name)];
  }));
  at('tasks').hidden = served.length === 1;
  if (!served.length) return show_error('This folder serves only /tokenize and /detokenize.');
  at('try').hidden = false;
  choose(served[0]);
}

at('try').addEventListener('submit', send);
at('try').addEventListener('input', show_code);
at('try').addEventListener('keydown', event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) at('try').requestSubmit(at('send'));
});
at('stop').addEventListener('click', () => stop.abort());
at('clear').addEventListener('click', () => choose(task));
at('key-form').addEventListener('submit', event => {
  event.preventDefault();
  api_key = at('key').value;
  open_page().catch(error => show_error(error.message));
});
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(at(button.value).textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
}
open_page().catch(error => show_error(error.message));
show_state();
setInterval(show_state, 2000);
document.addEventListener('visibilitychange', show_state);
)js";

}  // namespace locus::serve
