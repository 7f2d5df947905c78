// Check your own: the verdict and one sentence, the paste with what was read in it, the float line, and the table from
// which a component is picked. data: {verdict, look, sentence, read, line, table, told}. Sends `pick`.
DRAW.own = (root, data, act) => {
  const part = parts(root, `<h2 class="verdict"></h2><p class="sentence"></p><p class="quiet"></p>
    <pre tabindex="0" aria-label="The paste; the numbers that were read are marked"></pre>
    <div class="host line"></div><div class="host components"></div>`);
  root.classList.remove('old');
  part('.verdict').className = `verdict ${data.look}`;
  part('.verdict').hidden = !data.verdict;
  put(part('.verdict'), data.verdict);
  put(part('.sentence'), data.sentence);
  put(part('p.quiet'), data.told);
  keepDrawn(root, () => {
    if (!data.line) part('.line').replaceChildren();
    else if (changed(root, 'line', data.line)) intervals(part('.line'), data.line);
    if (changed(root, 'table', data.table)) components(part('.components'), data.table, place => act('pick', place));
    if (changed(root, 'read', data.read)) {
      part('pre').replaceChildren();
      for (const [words, role] of data.read) append(part('pre'), role ? 'mark' : 'span', '', words);
    }
  });
  answerWhenTypingStops(root);
};

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
