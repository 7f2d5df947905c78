// A table of pairs or numbers, a row of which is drawn. `table` has the `head`, the `rows` as lists of texts, and which
// one is `picked`. Its first cells are buttons.
function components(host, table, pick) {
  const scrolled = host.scrollTop;
  host.replaceChildren();
  if (!table) return;
  const {head, rows, picked} = table;
  const element = append(host, 'table');
  const names = element.createTHead().insertRow();
  for (const name of head) append(names, 'th', '', name).scope = 'col';
  const body = element.createTBody();
  const buttons = rows.map(([first, ...others], i) => {
    const row = body.insertRow();
    row.classList.toggle('picked', i === picked);
    row.onclick = () => pick(i);
    const button = set(append(row.insertCell(), 'button', '', first), {'aria-pressed': i === picked, 'aria-label': `Draw ${head[0]} ${first}`});
    for (const text of others) row.insertCell().textContent = text;
    return button;
  });
  rove('row', buttons, picked, () => {}, {ArrowDown: 1, ArrowUp: -1}); // a click is the row's own
  host.scrollTop = scrolled;
}
