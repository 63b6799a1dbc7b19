// The part of the page's script that knows the tasks: the fields of the form, the request, and what is drawn.
#include "locus/serve/page.h"

namespace locus::serve {

constexpr std::string_view kPageTasks = R"js(
const lines_of = text => text.split('\n').map(line => line.trim()).filter(line => line);
const list_of = answer => Array.isArray(answer) ? answer : [answer];
const sampling = [
  {name: 'max_tokens', label: 'New tokens', kind: 'number', value: '64', least: 1, step: 1},
  {name: 'temperature', label: 'Temperature', kind: 'number', value: '0', least: 0, step: 0.1}];
const texts_field = {name: 'texts', label: 'Texts, one per line', kind: 'lines',
  value: 'The dog chased the ball.\nA puppy ran after its toy.\nThe bank raised its rates.'};

// The first one that the folder serves is shown first; every encoder embeds, so that is the last one. `openai` is the
// call of the openai package.
const tasks = [
  {name: 'Rerank', route: '/v1/rerank', fields: [
     {name: 'query', label: 'Query', kind: 'line', value: 'Who chased the ball?'},
     {name: 'documents', label: 'Documents, one per line', kind: 'lines', value: texts_field.value}],
   body: form => ({model: model.model_id, query: form.query, documents: lines_of(form.documents)}),
   draw: (answer, sent) => [draw_scores('Best document first',
     answer.results.map(item => [sent.documents[item.index], item.relevance_score]))]},
  {name: 'Classify', route: '/classify', fields: [texts_field],
   body: form => lines_of(form.texts).map(text => ({text})),
   draw: answer => list_of(answer).map(item => draw_scores(item.text,
     Object.entries(item.scores).sort((a, b) => b[1] - a[1])))},
  {name: 'Tag', route: '/tag', fields: [{...texts_field, value: 'Ada Lovelace worked with Charles Babbage in London.'}],
   body: form => lines_of(form.texts).map(text => ({text})),
   draw: answer => { const kinds = []; return list_of(answer).map(item => draw_spans(item.text, item.spans, kinds)); }},
  {name: 'Fill', route: '/fill', fields: [{...texts_field, get value() { return `The dog ${model.mask_token || '[MASK]'} the ball.`; }}],
   body: form => lines_of(form.texts).map(text => ({text})),
   draw: answer => list_of(answer).flatMap(item => item.masks.map((mask, i) => draw_scores(
     item.masks.length > 1 ? `${item.text}, mask ${i + 1}` : item.text,
     mask.choices.map(choice => [choice.text || choice.token, choice.score]))))},
  {name: 'Answer', route: '/answer', fields: [
     {name: 'question', label: 'Question', kind: 'line', value: 'Who chased the ball?'},
     {name: 'context', label: 'Context', kind: 'lines', value: 'The dog chased the ball. The cat slept.'}],
   body: form => ({question: form.question, context: form.context}),
   draw: (answer, sent) => answer.answer === null
     ? [make('p', {}, `No answer (${shown(answer.score)}).`), draw_spans(sent.context, [], [])]
     : [make('p', {}, `${answer.answer} (${shown(answer.score)})`),
        draw_spans(sent.context, [{start: answer.start, end: answer.end, label: ''}], [])]},
  {name: 'Translate', route: '/translate', fields: [texts_field,
     {name: 'from', label: 'From (empty: the default)', kind: 'line', value: ''},
     {name: 'to', label: 'To (empty: the default)', kind: 'line', value: ''}],
   body: form => {
     const body = {inputs: lines_of(form.texts).map(text => ({text}))};
     if (form.from) body.from = form.from;
     if (form.to) body.to = form.to;
     return body;
   },
   draw: answer => list_of(answer).map(item => make('p.text', {}, item.translation))},
  {name: 'Chat', route: '/v1/chat/completions', fields: [
     {name: 'message', label: 'Message', kind: 'lines', value: 'Hello!'}, ...sampling],
   openai: 'chat.completions', prints: 'print(event.choices[0].delta.content or "", end="")',
   body: form => ({model: model.model_id, messages: [...chat, {role: 'user', content: form.message}],
     max_tokens: Number(form.max_tokens), temperature: Number(form.temperature), stream: true}),
   begin: sent => sent.messages.map(message => make(`p.text.${message.role}`, {}, message.content)),
   piece: choice => choice.delta.content || '',
   finish: (text, sent) => { chat = [...sent.messages, {role: 'assistant', content: text}]; }},
  {name: 'Generate', route: '/v1/completions', fields: [
     {name: 'prompt', label: 'Prompt', kind: 'lines', value: 'Once upon a time'}, ...sampling],
   openai: 'completions', prints: 'print(event.choices[0].text, end="")',
   body: form => ({model: model.model_id, prompt: form.prompt,
     max_tokens: Number(form.max_tokens), temperature: Number(form.temperature), stream: true}),
   begin: sent => [make('p.text.user', {}, sent.prompt)],
   piece: choice => choice.text},
  {name: 'Embed', route: '/v1/embeddings', fields: [texts_field],
   openai: 'embeddings', prints: 'print(len(answer.data), len(answer.data[0].embedding))',
   body: form => ({model: model.model_id, input: lines_of(form.texts), encoding_format: 'float'}),
   draw: (answer, sent) => draw_vectors(sent.input, answer.data.map(item => item.embedding))}];

// The same request with curl and with Python.
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
function curl_of(task, body) {
  const key = api_key ? ` -H 'Authorization: Bearer KEY'` : '';
  return `curl${body.stream ? ' -N' : ''} ${location.origin}${task.route} \\\n  -H 'Content-Type: application/json'${key} \\\n  -d ${quoted(JSON.stringify(body))}`;
}
const python_value = value => value === true ? 'True' : value === false ? 'False' : value === null ? 'None'
  : Array.isArray(value) ? `[${value.map(python_value).join(', ')}]`
  : typeof value === 'object' ? `{${Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${python_value(v)}`).join(', ')}}`
  : JSON.stringify(value);
function python_of(task, body) {
  const key = api_key ? 'KEY' : 'none';
  if (!task.openai) {
    const headers = api_key ? `,\n    headers={"Authorization": "Bearer KEY"}` : '';
    return `import requests\nanswer = requests.post("${location.origin}${task.route}"${headers},\n    json=${python_value(body)})\nprint(answer.json())`;
  }
  const given = Object.entries(body).map(([name, value]) => `    ${name}=${python_value(value)},\n`).join('');
  return `from openai import OpenAI\nclient = OpenAI(base_url="${location.origin}/v1", api_key="${key}")\nanswer = client.${task.openai}.create(\n${given})\n` +
    (body.stream ? `for event in answer:\n    ${task.prints}` : task.prints);
}
)js";

}  // namespace locus::serve
