// A table of pairs or numbers, a row of which is drawn. `table` has the `head`, the `rows` as lists of texts, and which
// one is `picked`. Its first cells are buttons, one of them in the tab order; arrow keys move, Enter or a click picks.
function components(host, table, onPick) {
  const focused = hasFocus(host);
  if (!table) {
    host.replaceChildren();
    return;
  }
  const element = document.createElement('table');
  const head = element.createTHead().insertRow();
  for (const name of table.head) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.textContent = name;
    head.append(cell);
  }
  const body = element.createTBody();
  table.rows.forEach((texts, place) => {
    const row = body.insertRow();
    row.classList.toggle('picked', place === table.picked);
    row.onclick = () => onPick(place);
    texts.forEach((text, i) => {
      const cell = row.insertCell();
      if (i) cell.textContent = text;
      else cell.append(pickButton(text, place));
    });
  });
  element.onkeydown = moveByKey;
  const scrolled = host.scrollTop;
  host.replaceChildren(element);
  host.scrollTop = scrolled;
  if (focused) body.rows[table.picked]?.querySelector('button').focus();

  function pickButton(text, place) {
    const button = document.createElement('button');
    button.textContent = text;
    button.tabIndex = place === table.picked ? 0 : -1;
    button.setAttribute('aria-pressed', place === table.picked);
    button.setAttribute('aria-label', `Draw ${table.head[0]} ${text}`);
    return button;
  }

  function moveByKey(event) {
    const buttons = [...body.querySelectorAll('button')];
    const to = stepped(event, buttons.indexOf(event.target), buttons.length - 1, {ArrowDown: 1, ArrowUp: -1});
    if (to === null) return;
    buttons.forEach((button, i) => { button.tabIndex = i === to ? 0 : -1; });
    buttons[to].focus();
  }
}
