// The text of a paste with its values as buttons, and below it what the compared numbers may be. `data` is an OwnDrawing
// of lib/paste/picture. Picks the places of two values that are pressed one after the other.
const query = new URL(import.meta.url).search;
const {append, keepDrawn, keepFocus, parts, rove, set} = await import('./kit.js' + query);
const {intervals} = await import('./intervals.js' + query);

const PARTS = `
  <pre role="group" aria-label="Your text; its values are buttons"></pre>
  <div class="line"></div>`;

export const draw = ({parentElement, data, setTriggerValue}) => {
  const root = parentElement.querySelector('.own');
  const find = parts(root, PARTS);
  const text = JSON.stringify(data.pieces);
  if (root.text !== text) {
    keepFocus(root, () => drawText(find('pre'), data.pieces, places => setTriggerValue('pick', places)));
  }
  root.text = text;
  keepDrawn(root, () => {
    if (data.line) intervals(find('.line'), data.line);
    else find('.line').replaceChildren();
  });
};

// A piece has its words, its place among the values or null, and what it counts as in the comparison.
function drawText(host, pieces, compare) {
  host.replaceChildren();
  const values = [];
  for (const [words, place, role] of pieces) {
    if (place === null) {
      append(host, 'span', '', words);
      continue;
    }
    const label = role ? `${words}: ${role}` : words;
    const value = append(host, 'mark', role && `is-${role}`, words);
    values.push(set(value, {role: 'button', 'aria-pressed': false, 'aria-label': label}));
  }
  let held = null;
  rove('value', values, 0, place => {
    const first = held;
    held = first === null ? place : null;
    values.forEach((value, i) => set(value, {'aria-pressed': i === held}));
    if (first !== null && first !== place) compare([first, place]);
  });
}
