// The part of the page's script that draws results. Each function takes data and returns an element.
#include "locus/serve/page.h"

namespace locus::serve {

constexpr std::string_view kPageResults = R"js(
'use strict';
// make('p.note', {title: 'x'}, 'text', child, ...): an element. Strings become text, never HTML.
function make(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const shown = number => Number(number.toPrecision(4)).toString();
const cut = (text, most) => {
  const letters = Array.from(text);
  return letters.length > most ? letters.slice(0, most - 1).join('') + '…' : text;
};

// One upward or downward bar for each number.
function draw_vector(vector) {
  const kSvg = 'http://www.w3.org/2000/svg', most = Math.max(...vector.map(Math.abs), 1e-9);
  const svg = document.createElementNS(kSvg, 'svg');
  svg.setAttribute('viewBox', `0 0 ${vector.length} 40`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${vector.length} numbers, starting with ${vector.slice(0, 4).map(shown).join(', ')}`);
  for (const [name, sign] of [['plus', 1], ['minus', -1]]) {
    const path = document.createElementNS(kSvg, 'path');
    path.setAttribute('class', name);
    path.setAttribute('d', vector.map((x, i) => x * sign > 0 ? `M${i + 0.1} 20h0.8v${-19 * x / most}h-0.8z` : '').join(''));
    svg.append(path);
  }
  return svg;
}

function cosine(a, b) {
  let product = 0, of_a = 0, of_b = 0;
  a.forEach((x, i) => { product += x * b[i]; of_a += x * x; of_b += b[i] * b[i]; });
  return product / Math.sqrt(of_a * of_b || 1);
}

// Cosine similarities. A darker cell is a larger value; the number is in the cell.
function draw_matrix(texts, vectors) {
  const head = make('tr', {}, make('td'), ...texts.map((text, i) => make('th', {scope: 'col', title: text}, `${i + 1}`)));
  const rows = vectors.map((row, i) => make('tr', {},
    make('th', {scope: 'row', title: texts[i]}, `${i + 1}  ${cut(texts[i], 24)}`),
    ...vectors.map(column => {
      const value = cosine(row, column), cell = make('td', {}, value.toFixed(3));
      cell.style.setProperty('--share', `${Math.round(60 * Math.max(0, value))}%`);
      return cell;
    })));
  return make('div.scroll', {tabindex: '0', role: 'region', 'aria-label': 'Similarity matrix'},
    make('table.matrix', {}, make('caption', {}, 'Cosine similarity'), make('thead', {}, head), make('tbody', {}, ...rows)));
}

function draw_vectors(texts, vectors) {
  const list = make('ol.vectors', {}, ...vectors.map((vector, i) =>
    make('li', {}, make('span', {}, cut(texts[i], 120)), draw_vector(vector))));
  return texts.length > 1 ? [list, draw_matrix(texts, vectors)] : [list];
}

// Pairs of a name and a share from 0 to 1, each with a bar.
function draw_scores(title, pairs) {
  const rows = pairs.map(([name, score]) => {
    const bar = make('span.bar', {'aria-hidden': 'true'}, make('span'));
    bar.firstChild.style.width = `${100 * Math.min(1, Math.max(0, score))}%`;
    return make('tr', {}, make('th', {scope: 'row'}, name), make('td', {}, shown(score)), make('td.wide', {}, bar));
  });
  const table = make('table.scores', {}, make('tbody', {}, ...rows));
  if (title !== '') table.prepend(make('caption', {}, title));
  return table;
}

// A text with marked spans {start, end, label}. Offsets count characters (Unicode code points).
function draw_spans(text, spans, kinds) {
  const letters = Array.from(text), paragraph = make('p.text');
  let at = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    if (span.start < at) continue;
    paragraph.append(letters.slice(at, span.start).join(''));
    if (!kinds.includes(span.label)) kinds.push(span.label);
    const mark = make(`mark.k${kinds.indexOf(span.label) % 6}`, {}, letters.slice(span.start, span.end).join(''));
    if (span.label) mark.append(make('small', {}, ` ${span.label} ${shown(span.score)}`));
    paragraph.append(mark);
    at = span.end;
  }
  paragraph.append(letters.slice(at).join(''));
  return paragraph;
}
)js";

}  // namespace locus::serve
