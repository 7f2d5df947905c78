// Check your own: the float line, the table from which a component is picked, and the paste with what was read in it.
DRAW.own = (root, data, act) => {
  const hosts = ['line', 'components', 'read'].map(name => `<div class="host ${name}"></div>`).join('');
  const part = parts(root, hosts);
  keepDrawn(root, () => {
    if (data.line && changed(root, 'line', data.line)) intervals(part('.line'), data.line);
    if (!data.line) part('.line').replaceChildren();
    if (changed(root, 'table', data.table)) {
      components(part('.components'), data.table, place => act('pick', place));
    }
    if (changed(root, 'read', data.read)) showRead(part('.read'), data.read);
  });
  answerWhenTypingStops();
};

// The paste as it was read: numbers that count are marked, so that a wrong reading is seen.
function showRead(host, pieces) {
  const text = document.createElement('pre');
  text.tabIndex = 0;
  text.setAttribute('aria-label', 'The paste; the numbers that were read are marked');
  for (const [words, role] of pieces) {
    const piece = document.createElement(role ? 'mark' : 'span');
    piece.textContent = words;
    text.append(piece);
  }
  host.replaceChildren(text);
}

// Streamlit takes a text by Ctrl+Enter or when the box is left; here that happens 0.3 s after the last key. The whole
// document is listened to, since Streamlit may make the box anew.
function answerWhenTypingStops() {
  if (window.lastBit.get('typing')) return;
  window.lastBit.set('typing', true);
  let timer = 0;
  const soon = box => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const keys = {key: 'Enter', code: 'Enter', keyCode: 13, ctrlKey: true, bubbles: true, cancelable: true};
      box.dispatchEvent(new KeyboardEvent('keydown', keys));
    }, 300);
  };
  document.addEventListener('input', ({target}) => target.matches?.('textarea') && soon(target));
  const before = document.querySelector('textarea');
  if (before?.value) soon(before); // what was pasted before this code had come
}
