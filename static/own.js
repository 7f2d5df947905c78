// Check your own: a title and one sentence, the paste with its values as buttons, and the float line.
// data: {title, look, sentence, told, read, picked, line}. Sends `compare` with the places of two values
// that are pressed in the paste, or null to have the text read anew.
DRAW.own = (root, data, act) => {
  const part = parts(root, `<div role="status"><h2 class="verdict"></h2><p class="sentence"></p></div><p class="quiet"></p>
    <div class="row quiet">Press two values in your text to compare them.<button>Read it anew</button></div>
    <pre role="group" aria-label="The paste; its values are buttons"></pre>
    <div class="host line"></div>`);
  root.classList.remove('old');
  part('.verdict').className = `verdict ${data.look}`;
  part('.verdict').hidden = !data.title;
  put(part('.verdict'), data.title);
  put(part('.sentence'), data.sentence);
  put(part('p.quiet'), data.told);
  keepDrawn(root, () => {
    if (!data.line) part('.line').replaceChildren();
    else if (changed(root, 'line', data.line)) intervals(part('.line'), data.line);
    if (changed(root, 'read', data.read)) echo(part('pre'), data.read, places => act('compare', places));
  });
  part('.row').hidden = data.read.filter(([, place]) => place !== null).length < 2;
  part('.row button').hidden = !data.picked;
  part('.row button').onclick = () => {
    part('mark').focus(); // the button goes
    act('compare', null);
  };
  answerWhenTypingStops(root);
};
// The paste, in which the values are buttons: the second that is pressed is compared with the first.
// `pieces` has the words of each, its place among the values or null, and what it counts as.
function echo(host, pieces, compare) {
  host.replaceChildren();
  const values = pieces.map(([words, place, role]) => {
    if (place === null) return append(host, 'span', '', words);
    const mark = append(host, 'mark', role && `is-${role}`, words);
    return set(mark, {role: 'button', 'aria-pressed': false, 'aria-label': role ? `${words}: ${role}` : words});
  }).filter(element => element.localName === 'mark');
  let held = null;
  rove('value', values, 0, i => {
    const [one, other] = [held, i];
    held = one === null ? i : null;
    values.forEach((value, at) => set(value, {'aria-pressed': at === held}));
    if (one !== null && one !== other) compare([one, other]);
  });
}

// Streamlit takes a text by Ctrl+Enter or when the box is left; here that happens 0.3 s after the last key, and the old
// answer is pale until then. The whole document is listened to, since Streamlit may make the box anew.
function answerWhenTypingStops(root) {
  const first = !window.lastBit.has('answer');
  window.lastBit.set('answer', root);
  if (!first) return;
  let timer = 0;
  const soon = box => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const keys = {key: 'Enter', code: 'Enter', keyCode: 13, ctrlKey: true, bubbles: true, cancelable: true};
      box.dispatchEvent(new KeyboardEvent('keydown', keys));
    }, 300);
  };
  document.addEventListener('input', ({target}) => {
    if (!target.matches?.('textarea')) return;
    window.lastBit.get('answer').classList.add('old');
    soon(target);
  });
  const before = document.querySelector('textarea');
  if (before?.value) soon(before); // what was pasted before this code had come
}
